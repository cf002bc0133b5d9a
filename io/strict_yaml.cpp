// strict_yaml
