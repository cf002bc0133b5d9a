// survey
