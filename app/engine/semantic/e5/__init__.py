"""The packaged model: multilingual-e5-small, made into an ONNX file when it is installed."""
