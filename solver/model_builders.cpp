// model_builders
