"""The word lists behind the rules. Nouns and verbs are in their dictionary form."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# NP の NP: these relate what stands before の to what comes after.
LOCATIONS = _words("""
    上 下 前 後ろ 後 右 左 中 外 隣 近く 間 横 そば 側 傍 傍ら 脇 わき 奥 手前 向こう 向かい 周り まわり 周囲 正面
    真ん中 中央 端 先 裏 内側 外側 上側 下側 右側 左側 片側 両側 前方 後方 上部 下部 内部 外部 右上 右下 左上 左下
    真上 真下 真横 真後ろ 目の前 背後 頭上 足元
""")

# Verbs whose を names the way, not what is acted on: who walks 橋の上を is on the bridge.
MOTIONS = _words("""
    歩く 走る 飛ぶ 滑る 通る 渡る 進む 泳ぐ 登る 上る 下る 降りる 転がる 流れる 横切る 駆ける 舞う 動く 走り回る
    歩き回る 飛び回る 駆け回る 駆け抜ける 通り過ぎる 行き交う 移動する 散歩する 滑走する 走行する 飛行する 横断する
""")

# Nouns that only carry the clause before them: 犬が走っている様子 is 犬が走っている.
FORMAL = _words("""
    の こと ところ 様子 ようす さま 様 姿 光景 場面 瞬間 最中 状態 まま ため 時 とき 際 途中 よう 一緒
""")

# Of these, the ones whose clause has the subject of the clause that follows: 立ったまま食べる.
ATTENDANT = _words("まま ため よう")

# Adjectives whose が names what they are about, not whom: 犬が好きな女性.
ABOUT = _words("好き 大好き 嫌い 大嫌い 上手 下手 得意 苦手 欲しい 怖い 可能 必要")

# Quantities that the dictionary does not call so.
QUANTITIES = _words("""
    たくさん 沢山 大勢 多く 多数 複数 少数 数々 いくつか 幾つか 何人か 何匹か 何台か 全員 すべて 全て 無数
""")

# What ends like this says what something is like: オレンジ色, 木製, 花柄.
QUALITY_ENDINGS = ("色", "製", "柄", "模様", "形", "型", "風", "状")

# Case particles. や, とか and か list nouns as と does.
CASES = {
    "が": "ガ",
    "を": "ヲ",
    "に": "ニ",
    "から": "カラ",
    "より": "ヨリ",
    "と": "ト",
    "へ": "ヘ",
    "で": "デ",
    "の": "ノ",
    "まで": "マデ",
    "や": "ト",
    "とか": "ト",
    "か": "ト",
}

VOICES = _words("れる られる せる させる")
DENIALS = _words("ない ぬ ず")

# What joins a predicate to the next one of the same subject.
CHAINING = _words("て で ながら つつ たり だり")

# After て or で these verbs say how something is done, not what: 上がってくる.
CARRIERS = _words("いる ある くる いく ゆく おく しまう みる もらう くれる あげる やる いただく くださる")

# After an adjective these say that it holds, comes to hold or does not: 青くなる, 青くない.
BECOMING = _words("なる する ない")

# After another verb these say that it begins, goes on or ends: 降り始める.
PHASES = _words("始める 出す 続ける 続く 終わる 終える かける")

# Words of a class of their own that are adjectives in all but form.
ADNOMINAL = {"大きな": "大きい", "小さな": "小さい", "おかしな": "おかしい"}
