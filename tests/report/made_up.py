"""Results to draw: captions and stories of our own, small enough to read, and the same with hostile texts."""

from __future__ import annotations

import kataribe
from kataribe.core.result import Result

HOSTILE = [
    "<script>window.hacked = true</script>",
    '"><img src=x onerror="window.hacked = true">',
    "</script><script>window.hacked = true</script>",
    "<!--<script>",
    "${window.hacked = true} {{ 7 * 7 }} \u2028 \\u003c",
]

SCENES = {
    "v_harbour": (
        60.0,
        [
            [(0, 21, "A small boat leaves the harbour at sunrise."), (20, 58, "The crew pulls in a net full of fish.")],
            [
                (0, 12, "The sun rises over a harbour."),
                (10, 24, "A fishing boat sails out."),
                (26, 57, "Men on the boat haul in their nets."),
            ],
        ],
    ),
    "v_kitchen": (
        95.0,
        [
            [
                (2, 30, "A cook chops onions with a sharp knife."),
                (31, 70, "She fries the onions in a pan."),
                (71, 94, "She puts the dish on a plate and smiles."),
            ],
            [(0, 35, "A woman cuts vegetables in a kitchen."), (36, 93, "She cooks the vegetables and serves them.")],
        ],
    ),
    "v_snowman": (
        120.0,
        [
            [
                (0, 40, "Two children roll a large ball of snow."),
                (38, 90, "They build a snowman in the garden."),
                (92, 118, "They put a hat on the snowman and dance around it."),
            ],
            [(3, 88, "Children build a snowman."), (90, 119, "The children dance around the snowman.")],
        ],
    ),
    "v_piano": (
        44.0,
        [[(0, 20, "A girl sits down at a piano."), (18, 44, "She plays and the audience claps.")], []],
    ),
    "v_bicycle": (
        75.0,
        [
            [(0, 28, "A boy repairs the chain of his bicycle."), (30, 73, "He rides down a hill with his friends.")],
            [(2, 30, "A boy mends a bicycle chain."), (31, 75, "Three friends ride their bicycles down a hill.")],
        ],
    ),
    "v_potter": (
        110.0,
        [
            [
                (0, 25, "A potter puts clay on the wheel."),
                (25, 80, "He shapes a tall vase with wet hands."),
                (84, 109, "He cuts the vase off with a wire."),
            ],
            [(1, 82, "A man shapes a vase on a potter's wheel."), (83, 110, "He takes the vase off the wheel.")],
        ],
    ),
    "v_market": (
        52.0,
        [
            [(0, 22, "A woman buys vegetables at a market."), (23, 51, "She pays and rides away on a scooter.")],
            [(0, 25, "A woman chooses vegetables at a stall."), (26, 52, "She leaves the market on a scooter.")],
        ],
    ),
    "v_kite": (
        64.0,
        [
            [(0, 18, "A father unrolls the string of a kite."), (19, 62, "His daughter runs and the kite flies.")],
            [(0, 20, "A man prepares a kite."), (21, 64, "A girl runs across a field with a kite.")],
        ],
    ),
}

_CAREFUL = {
    "v_harbour": [
        (0, 19, "A boat leaves the harbour in the morning."),
        (22, 55, "The crew pulls a net with fish out of the water."),
        (55, 60, "A gull lands on the boat."),
    ],
    "v_kitchen": [
        (0, 33, "A woman chops onions in a kitchen."),
        (33, 68, "She is frying onions in a pan."),
        (70, 95, "She serves the dish on a plate."),
    ],
    "v_snowman": [(0, 45, "Two children roll snow in a garden."), (40, 119, "They build a snowman and dance.")],
    "v_piano": [(1, 19, "A girl sits at the piano."), (19, 43, "The girl plays the piano for an audience.")],
    "v_bicycle": [(0, 29, "A boy repairs his bicycle."), (29, 75, "He rides down a hill.")],
    "v_potter": [
        (0, 24, "A potter puts clay on a wheel."),
        (24, 83, "He shapes a vase with his hands."),
        (85, 110, "He takes the vase off the wheel."),
    ],
    "v_market": [(0, 24, "A woman buys vegetables at a market."), (24, 50, "She rides away on a scooter.")],
    "v_kite": [(0, 20, "A man unrolls a string."), (20, 64, "A girl runs with a kite.")],
}

_CARELESS = {
    "v_harbour": [(0, 40, "A man is on a boat."), (30, 60, "The man is talking to the camera.")],
    "v_kitchen": [(10, 95, "A person is cooking food in a kitchen.")],
    "v_snowman": [(0, 60, "People are playing in the snow."), (60, 120, "The people continue to play in the snow.")],
    "v_piano": [(0, 44, "A woman is playing the piano.")],
    "v_bicycle": [(0, 50, "A man is riding a bike."), (45, 75, "He is riding a bike on the road.")],
    "v_potter": [(0, 110, "A man is making something with his hands.")],
    "v_market": [(10, 52, "People are walking in a market.")],
    "v_kite": [(0, 40, "People are standing in a field."), (30, 64, "A girl is running in a field.")],
}

TEXT = "rouge_l(tok=none)"
STORY_METRICS = (f"soda(c, text={TEXT})", f"soda(a, text={TEXT})", "localisation")


def story_results(metrics: tuple[str, ...] = STORY_METRICS) -> dict[str, Result]:
    references = [
        {video: _story(duration, told[annotator]) for video, (duration, told) in SCENES.items() if told[annotator]}
        for annotator in (0, 1)
    ]
    return {
        name: kataribe.evaluate(
            "stories",
            {video: _story(SCENES[video][0], captions) for video, captions in stories.items()},
            references,
            metrics,
            anchors=True,
            bootstrap=200,
            details=True,
        )
        for name, stories in (("careful", _CAREFUL), ("careless", _CARELESS))
    }


def _story(duration: float, captions: list[tuple[float, float, str]]) -> dict[str, object]:
    return {
        "duration": duration,
        "timestamps": [[start, end] for start, end, _ in captions],
        "sentences": [text for _, _, text in captions],
    }


def hostile_story_result() -> Result:
    captions = [(10.0 * place, 10.0 * place + 9, text) for place, text in enumerate(HOSTILE)]
    told = {text: _story(60.0, captions) for text in HOSTILE}
    return kataribe.evaluate("stories", told, told, STORY_METRICS[:1], details=True)


def hostile_caption_result() -> Result:
    told = dict(zip(HOSTILE, HOSTILE, strict=True))
    references = {id: [text, "a dog"] for id, text in told.items()}
    return kataribe.evaluate("captions", told, references, [TEXT, "meteor(en, tok=none)"], details=True)


def many_captions(items: int, worse: bool) -> Result:
    """Captions in large number; the worse system forgets the ends of its sentences."""
    things, actions = ("dog", "cat", "child", "man", "boat"), ("runs", "sleeps", "sings", "waits", "turns", "falls")
    places = ("in the rain", "on a stage", "near the sea", "under a tree", "at night", "in the snow", "on the road")
    texts = {
        f"clip-{n:05}": f"a {things[n % 5]} {actions[n % 6]} {places[n % 7]} and {actions[(n + n // 7) % 6]}"
        for n in range(items)
    }
    predictions = {
        id: " ".join(text.split()[: 4 if worse and n % 3 else 7]) for n, (id, text) in enumerate(texts.items())
    }
    references = {id: [text, f"{text} again"] for id, text in texts.items()}
    return kataribe.evaluate("captions", predictions, references, [TEXT, "bleu(2, tok=none)"], details=True)


def narration(told: str = "") -> Result:
    """Two lines of a film; `told` is said instead of the first one."""
    written = [
        {"film": "harbour", "start": 0, "end": 4, "text": "Anna and Tom wait."},
        {"film": "harbour", "start": 9, "end": 12, "text": "Rain falls."},
    ]
    predicted = [written[0] | {"text": told or written[0]["text"]}, written[1]]
    return kataribe.evaluate(
        "narration",
        predicted,
        written,
        metrics=["role_f1", "rouge_l"],
        cast={"harbour": ["Anna", "Tom"]},
        protocol="paper",
        details=True,
    )
