"""The models of this room whose weights ship inside packages; `core.carried` has the rule for them."""

from __future__ import annotations

from kataribe.core.carried import Carried

PP_OCR = Carried(
    model="PP-OCRv4",
    purpose="burnt-in subtitles, Chinese and English",
    licence="Apache-2.0",
    package="rapidocr-onnxruntime",
    module="rapidocr_onnxruntime",
    version="1.4.4",
    extra="films",
    files={
        "models/ch_PP-OCRv4_det_infer.onnx": "d2a7720d45a54257208b1e13e36a8479894cb74155a5efe29462512d42f49da9",
        "models/ch_PP-OCRv4_rec_infer.onnx": "48fc40f24f6d2a207a2b1091d3437eb3cc3eb6b676dc3ef9c37384005483683b",
    },
)
SILERO = Carried(
    model="Silero VAD",
    purpose="where people speak",
    licence="MIT",
    package="silero-vad",
    module="silero_vad",
    version="6.2.3",
    extra="films",
    files={
        "data/silero_vad_16k_sequence.onnx": "9ccdacc4719d8aa7e45a77536bfabec45a03ba1f2fad5e241ab4060b24238a85",
    },
)
DLIB_FACES = Carried(
    model="dlib's face vectors",
    purpose="who is who among faces",
    licence="CC0-1.0",
    package="face_recognition_models",
    module="face_recognition_models",
    version="0.3.0",
    extra="films",
    files={
        "models/shape_predictor_5_face_landmarks.dat": (
            "c4b1e9804792707d3a405c2c16a80a20269e6675021f64a41d30fffafbc41888"
        ),
        "models/dlib_face_recognition_resnet_model_v1.dat": (
            "55533b28a95800a551ba546ba62fe69625c7e95a7061c338adffead08719da30"
        ),
    },
)
ALL = (PP_OCR, SILERO, DLIB_FACES)
