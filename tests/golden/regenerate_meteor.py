"""Writes meteor.json: what METEOR 1.5 says about sentences of our own. Needs Java; the tests do not.

python tests/golden/regenerate_meteor.py
"""

import json
import random
from pathlib import Path

from tests.golden.meteor_jar import ENGLISH, OTHER, MeteorJar, as_ours

PLAIN = """
a man is riding a horse on the beach
the man rides horses along the beach
a woman is riding a white horse by the sea
two dogs run after a ball in the park
two dogs are running after the ball in a park
a dog chases a ball
the dogs chased balls across the grass
a child is eating an apple at the table
the kid eats apples while sitting at a table
a boy and a girl are playing with a toy car
children play with toy automobiles
a chef chops the onions and then fries them in a pan
the cook is cutting onions before frying them
someone is cooking food in a kitchen
she shows how to fix a flat tire on a bicycle
a person demonstrates how to repair a bike tyre
the two men shake hands and walk away
the men shook hands and went away
a large crowd of people is cheering loudly
a big group of people cheers
he begins to speak to the camera
he starts talking into the camera
the video ends with the team celebrating its victory
at the end of the video the team celebrates the win
a gymnast performs a routine on the balance beam
an athlete does gymnastics on a beam
it is important to take into account the fact that the water is cold
it must be borne in mind that the water is very cold
as a result of this the boat turned over
consequently the boat tipped over
people are standing on the side of the road
on the side of the road people stand
the feet of the geese left prints in the mud
a goose left a footprint in the mud
the wolves went for the sheep
a wolf goes for sheep
the the the the a a a
a the a the a the
man man man man dog
the man saw the man who saw the man
xyzzy plugh frobnicate
xyzzies plughing frobnicated
three handfuls of rice and a spoonful of salt
a handful of rice and some spoonfuls of salt
"""

RAW = """
It's a well-known fact: the U.S. team won 3-2 (after extra time)...
Mr. Smith's dog -- a 5-year-old -- didn't bark.
No. 5 is alive; No. he isn't!
"Hello," she said. "How are you?"
The price is $1,000.50, i.e. 20% less than on Jan. 5.
He doesn't know what they've done, and I can't say I'd help.
five-and-a-half men's watches, 1990's style
Wait.. what?! #hashtag @someone a/b_c
‘Curly’ “quotes” — and dashes – everywhere…
L'été, la naïve Zoë mange du café à l'hôtel.
Дом стоит у реки. The house stands by the river.
日本語の字幕 and English together
ÀÉÎÕÜ Straße ŁÓDŹ İstanbul ΑΣ
rock'n'roll o'clock dogs' tails ''double'' ``ticks''
A.B.C. Corp. vs. the Ph.D. students at 5 p.m. The end.
😀 smile 😀
.
...
' " ,
,,,1,,2,3,,,

a
"""

OTHER_LANGUAGE = """
男 が 馬 に 乗っ て いる
男 は 海辺 で 馬 に 乗る
犬 が ボール を 追いかけ て いる
二 匹 の 犬 が 公園 で ボール を 追う
一个 男人 在 海滩 上 骑马
男人 骑着 马
Ein Mann reitet ein Pferd
ein Mann reitet am Strand
a a a b
b a a

"""


RELATED_WORDS = """
a the of on in is are man men woman dog dogs run runs running ran big large small little car cars automobile
begin begins start started quickly fast begin to take into account in order to
"""


def lines(text: str) -> list[str]:
    return text.strip("\n").split("\n")


def invent(rng: random.Random) -> str:
    """A sentence in which words, their inflections and their synonyms come up again and again."""
    return " ".join(rng.choice(RELATED_WORDS.split()) for _ in range(rng.randint(1, 18)))


def main() -> None:
    rng = random.Random(15)
    plain, raw, other = lines(PLAIN), lines(RAW), lines(OTHER_LANGUAGE)
    pairs = [(hypothesis, reference) for hypothesis in plain for reference in rng.sample(plain, 5)]
    pairs += list(zip(plain[::2], plain[1::2], strict=True)) + [(sentence, sentence) for sentence in plain[:5]]
    pairs += [(hypothesis, reference) for hypothesis in raw for reference in rng.sample(raw, 5)]
    pairs += [(sentence.lower(), sentence) for sentence in raw] + [("", ""), ("", "a dog"), ("a dog", "")]
    pairs += [(invent(rng), invent(rng)) for _ in range(200)]
    for count in (70, 130, 200):  # beyond one and two machine words of positions
        pairs.append(
            (
                " ".join(rng.choices(plain[0].split(), k=count)),
                " ".join(rng.choices(plain[1].split(), k=count)),
            )
        )
        pairs.append((" ".join(["a"] * count), " ".join(["a", "dog"] * (count // 2))))
    several = [(rng.choice(plain), rng.sample(plain, rng.randint(2, 5))) for _ in range(40)]
    in_other = [(hypothesis, reference) for hypothesis in other for reference in other]

    golden: dict[str, object] = {}
    with MeteorJar(*ENGLISH) as jar:
        statistics = jar.statistics([(hypothesis, [reference]) for hypothesis, reference in pairs])
        scores, corpus = jar.scores(statistics)
        golden["english"] = {
            "pairs": pairs,
            "statistics": as_ours(statistics).astype(int).tolist(),
            "scores": scores.tolist(),
            "corpus": corpus,
            "corpus_of_first_50": jar.scores(statistics[:50])[1],
        }
        statistics = jar.statistics(several)
        golden["several_references"] = {"pairs": several, "scores": jar.scores(statistics)[0].tolist()}
    with MeteorJar(*OTHER) as jar:
        statistics = jar.statistics([(hypothesis, [reference]) for hypothesis, reference in in_other])
        scores, corpus = jar.scores(statistics)
        golden["other"] = {"pairs": in_other, "scores": scores.tolist(), "corpus": corpus}

    path = Path(__file__).with_name("meteor.json")
    path.write_text(json.dumps(golden, ensure_ascii=False, separators=(",", ":")).replace("],[", "],\n[") + "\n")


if __name__ == "__main__":
    main()
