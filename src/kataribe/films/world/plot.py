"""The plot of a film: dialogues with gaps between them, and in the gaps events that a narrator tells.

    title | dialogue | gap | dialogue | gap | ... | dialogue | end

A gap is at least 5 seconds long, else its dialogues would be one. What the narrator says of an event decides how long
it lasts; fragments of a clip are less than a second apart, clips at least one: the rules of Movie101 give them back.
Lengths of clips and clips per gap are drawn as they are in Movie101.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from kataribe.films.world import movie101
from kataribe.films.world.actions import ACTIONS
from kataribe.films.world.casting import Company, Player, company_of
from kataribe.films.world.film import FPS, Clip, Event, Film, Fragment, Kind, Line, Shot, Staged
from kataribe.films.world.languages import WORDS, Told, Words, clause, sentence, subject_of
from kataribe.films.world.options import WorldOptions, random_stream
from kataribe.films.world.places import CAMERAS, PLACES
from kataribe.films.world.staging import stage_event, stage_line

TITLE = 3 * FPS
# All in frames.
SHORTEST_GAP = 5 * FPS
SHORTEST_EVENT = 2 * FPS
LONGEST_SHOT = 7 * FPS
PAUSE_IN_CLIP = (2, 6)  # less than a second
PAUSE_BETWEEN_CLIPS = (10, 12)  # more than a second, for those who hear a little too much too
PAUSE_AT_EDGES = (1, 4)
# Chances.
ECHO, STRANGER, NEW_PLACE, SAME_ACTOR, ALIAS, DRESS = 0.3, 0.18, 0.5, 0.6, 0.15, 0.12
# Bystanders are told of in half of the events, if there is time.
WITNESS = 0.5
# Clips end with a whole clause: on average a little later than wanted.
SHORTER = 0.94


def plan_film(options: WorldOptions, number: int) -> Film:
    """
    >>> film = plan_film(WorldOptions("smoke", language="en"), 0)
    >>> film.id, film.split, len(film.dialogues)
    ('w000', 'train', 3)
    """
    plot = _Plot(
        options,
        company_of(options, number),
        WORDS[options.language],
        random_stream(options.seed, "plot", number),
        random_stream(options.seed, "words", number),
    )
    plot.card("title")
    for gap in range(options.gap_count):
        plot.dialogue()
        plot.gap(gap)
    plot.dialogue()
    plot.card("end")
    return Film(
        plot.company,
        options.split_of(number),
        plot.now,
        tuple(plot.lines),
        tuple(plot.dialogues),
        tuple(plot.clips),
        tuple(plot.events),
        tuple(plot.shots),
    )


@dataclass
class _Plot:
    """A film on the way, from its beginning until `now`."""

    options: WorldOptions
    company: Company
    words: Words
    rng: np.random.Generator
    word_rng: np.random.Generator
    now: int = 0
    place: str = ""
    camera: int = 0
    lines: list[Line] = field(default_factory=list)
    dialogues: list[tuple[int, int]] = field(default_factory=list)
    clips: list[Clip] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    shots: list[Shot] = field(default_factory=list)

    def card(self, kind: Kind) -> None:
        self.shots.append(Shot(self.now, self.now + TITLE, kind, "", 0))
        self.now += TITLE

    # Dialogues

    def dialogue(self) -> None:
        """A few lines between two or three people; each is a shot of its own."""
        if not self.place or self.rng.random() < NEW_PLACE:
            self._go_elsewhere()
        talkers = self._some_players(2 if self.rng.random() < 0.75 else 3)
        count = int(self.rng.integers(2, 6))
        at = self.now + int(self.rng.integers(2, 5))
        first, speaker = at, 0
        for number in range(count):
            speaker = (speaker + int(self.rng.integers(1, max(2, len(talkers))))) % len(talkers)
            listener = talkers[(speaker + 1) % len(talkers)]
            text = self._line(talkers[speaker], listener)
            end = at + max(10, round(len(text) / (self.words.rate * 0.95) * FPS))
            self.lines.append(Line(at, end, talkers[speaker], text))
            pause = int(self.rng.integers(3, 10))
            cut = end + pause // 2 if number < count - 1 else end
            staged = stage_line(talkers[speaker], listener, self.rng)
            self._shoot(cut, "talk", staged, line=len(self.lines) - 1)
            at = end + pause
        self.dialogues.append((first, self.now))

    def _line(self, speaker: Player, listener: Player) -> str:
        """What was not said in the last dialogues, if there is anything left."""
        said = {line.text for line in self.lines[-40:]}
        for _ in range(50):
            if self.word_rng.random() < 0.15 and speaker is not listener and listener.role is not None:
                you = self._one(listener.role.names)
                text = self._one(self.words.named_lines).format(you=you)
            else:
                text = self._one(self.words.lines)
            if text not in said:
                break
        return text

    # Gaps

    def gap(self, number: int) -> None:
        if self.rng.random() >= movie101.GAPS_FILLED:
            self._untold(number)
            return
        start, known = self.now, len(self.clips)
        count = min(self.options.most_clips, movie101.from_counts(movie101.CLIPS_PER_N, self.rng))
        for position in range(count):
            pauses = PAUSE_BETWEEN_CLIPS if position else PAUSE_AT_EDGES
            length = min(self.options.longest_clip, movie101.from_deciles(movie101.G_SECONDS, self.rng))
            # The first and only clip of a short gap still keeps the dialogues apart.
            self._clip(number, int(self.rng.integers(*pauses)), max(2.5 if position else 4.5, length))
        assert len(self.clips) > known
        last = self._stretch(max(self.now + int(self.rng.integers(*PAUSE_AT_EDGES)), start + SHORTEST_GAP))
        self.now = last

    def _untold(self, number: int) -> None:
        """Things happen that nobody tells."""
        end = self.now + SHORTEST_GAP + int(self.rng.integers(0, 4 * FPS))
        while self.now < end:
            length = min(end - self.now, int(self.rng.integers(3 * FPS, 5 * FPS)))
            if end - self.now - length < SHORTEST_EVENT:
                length = end - self.now
            self._event(self._new_event(None), length, None)

    def _stretch(self, end: int) -> int:
        """The last shot, and what happens in it, goes on until the next dialogue."""
        self.shots[-1] = replace(self.shots[-1], end=end)
        self.events[-1] = replace(self.events[-1], end=end)
        return end

    def _clip(self, gap: int, lead: int, length: float) -> None:
        """Events until the clip is about so many seconds long, each with its part of the text."""
        rate = self._rate(length)
        parts: list[_Part] = []
        named: list[str] = []
        left, characters = SHORTER * length * FPS, 0
        while True:
            event = self._new_event(parts[-1].event if parts else None)
            wish = rate * min(left, 6.5 * FPS) / FPS
            mentioned: list[str] = []
            said = self._tell(event, parts, round(wish), mentioned)
            size = sum(len(text + self.words.comma + self.words.space) for text in said)
            if parts and characters + size > self.words.most:
                break
            parts.append(_Part(event, said))
            named += mentioned
            self.events.append(event)  # so that the next one can echo it; its times come below
            characters += size
            left -= sum(len(text) for text in said) / rate * FPS + PAUSE_IN_CLIP[0]
            if left < 1.6 * FPS:
                break
        del self.events[len(self.events) - len(parts) :]
        self._time(gap, parts, lead, rate, named)

    def _rate(self, length: float) -> float:
        """Characters in a second. A long clip is told more slowly: its text has a limit."""
        usual = self.words.rate * float(self.rng.uniform(0.88, 1.12))
        return max(0.55 * self.words.rate, min(usual, 0.92 * self.words.most / length))

    def _time(self, gap: int, parts: Sequence[_Part], lead: int, rate: float, named: list[str]) -> None:
        """Put fragments one after the other, and the events where they are told."""
        texts = sentence(self.words, [text for part in parts for text in part.said])
        fragments: list[Fragment] = []
        at, clip = self.now + lead, len(self.clips)
        for part in parts:
            for _ in part.said:
                text = texts[len(fragments)]
                end = at + max(6, round(len(text) / rate * FPS))
                fragments.append(Fragment(at, end, text))
                at = end + int(self.rng.integers(*PAUSE_IN_CLIP))
            # A cut falls into the pause after what was said of the event.
            self._event(part.event, (fragments[-1].end + at) // 2 - self.now, clip)
        self._stretch(max(fragments[-1].end + 1, self.shots[-1].start + SHORTEST_EVENT))
        self.now = self.shots[-1].end
        self.clips.append(Clip(gap, tuple(fragments), tuple(dict.fromkeys(named))))

    # Events

    def _new_event(self, before: Event | None) -> Event:
        """Who does what next; its times are still open."""
        rng = self.rng
        if (before is None and rng.random() < NEW_PLACE) or rng.random() < 0.15:
            self._go_elsewhere()
        actor, echoes = self._actor(before), None
        last = before.action if before else ""
        action = self._weighted({name: action.genres for name, action in ACTIONS.items() if name != last})
        if rng.random() < ECHO and (earlier := self._by_others(actor, last)):
            echoes = earlier[int(rng.integers(len(earlier)))]
            action = self.events[echoes].action
        others = [player for player in self._some_players(4) if player is not actor]
        has_target = ACTIONS[action].has_target
        if has_target and not others:
            others = [player for player in self.company.extras if player is not actor]
        target = others.pop(0) if has_target else None
        extras = [extra for extra in self.company.extras if extra is not actor and extra is not target]
        crowd = [others.pop(0) if others and rng.random() < 0.6 else extras.pop(0) for _ in range(self._crowd(target))]
        tempo = 1 if ACTIONS[action].is_steady else int(rng.choice([0, 1, 1, 2]))
        return Event(0, 0, actor, action, target, self.place, tempo, tuple(crowd), None, echoes)

    def _crowd(self, target: Player | None) -> int:
        """How many bystanders; with somebody at the right there is room for one."""
        return int(self.rng.choice([0, 0, 1, 1, 2] if target is None else [0, 0, 1]))

    def _actor(self, before: Event | None) -> Player:
        if before is not None and self.rng.random() < SAME_ACTOR:
            return before.actor
        if self.rng.random() < STRANGER:
            return self.company.extras[int(self.rng.integers(len(self.company.extras)))]
        return self._some_players(1)[0]

    def _by_others(self, actor: Player, last: str) -> list[int]:
        events = enumerate(self.events)
        return [number for number, event in events if event.actor is not actor and event.action != last]

    def _tell(self, event: Event, parts: Sequence[_Part], wish: int, named: list[str]) -> tuple[str, ...]:
        """The clause of an event, and in `named` the roles that it names."""
        before = parts[-1].event if parts else None
        is_same = before is not None and before.actor is event.actor
        moved = before is None or before.place != event.place
        roles = [player.role for player in event.bystanders if player.role is not None]
        seen = roles if self.word_rng.random() < WITNESS else []
        told = Told(
            subject=self._subject(event.actor, is_same, named),
            action=event.action,
            target=self._mention(event.target, named) if event.target else None,
            tempo=event.tempo,
            place=event.place if moved and (before is not None or self.word_rng.random() < 0.8) else None,
            is_first=before is None,
            seen=tuple(role.name for role in seen),
        )
        said = clause(self.words, told, wish, self.word_rng)
        if len(said) > 1:
            named += [role.name for role in seen]
        return said

    def _subject(self, actor: Player, is_same: bool, named: list[str]) -> str:
        if is_same and self.word_rng.random() < 0.75:
            return self.words.pronouns[actor.gender]
        name = self._mention(actor, named)
        if actor.role is None or self.word_rng.random() >= DRESS:
            return name
        return self.words.wears.format(a=name, colour=self.words.colours[actor.wears])

    def _mention(self, player: Player, named: list[str]) -> str:
        if player.role is None:
            return subject_of(self.words, player.gender, self.word_rng)
        named.append(player.role.name)
        if player.role.aliases and self.word_rng.random() < ALIAS:
            return self._one(player.role.aliases)
        return player.role.name

    def _event(self, event: Event, length: int, clip: int | None) -> None:
        """Give an event its time, and show it in one shot, or in two if it is long."""
        start, end = self.now, self.now + max(length, SHORTEST_EVENT if clip is None else 1)
        self.events.append(replace(event, start=start, end=end, clip=clip))
        self.place = event.place
        number = len(self.events) - 1
        if end - start > LONGEST_SHOT:
            self._shoot((start + end) // 2, "action", stage_event(event, self.rng), event=number)
        self._shoot(end, "action", stage_event(event, self.rng), event=number)

    # Shots, places, people

    def _shoot(
        self, end: int, kind: Kind, staged: tuple[Staged, ...], event: int | None = None, line: int | None = None
    ) -> None:
        """A shot from now on, by another camera than the one before."""
        self.camera = (self.camera + int(self.rng.integers(1, CAMERAS))) % CAMERAS
        self.shots.append(Shot(self.now, end, kind, self.place, self.camera, staged, event, line))
        self.now = end

    def _go_elsewhere(self) -> None:
        self.place = self._weighted({name: place.genres for name, place in PLACES.items() if name != self.place})

    def _weighted(self, genres: dict[str, tuple[str, ...]]) -> str:
        """One of the names; those that belong to the film's genres come three times as often."""
        weights = np.array([3.0 if set(of) & set(self.company.genres) else 1.0 for of in genres.values()])
        return list(genres)[int(self.rng.choice(len(weights), p=weights / weights.sum()))]

    def _some_players(self, number: int) -> list[Player]:
        """Different members of the cast; who is billed higher comes more often."""
        players = self.company.players
        weights = 1.0 / np.arange(1, len(players) + 1) ** 0.8
        chosen = self.rng.choice(len(players), min(number, len(players)), replace=False, p=weights / weights.sum())
        return [players[index] for index in chosen]

    def _one(self, choices: Sequence[str]) -> str:
        return choices[int(self.word_rng.integers(len(choices)))]


@dataclass(frozen=True)
class _Part:
    """An event on the way, and what is said of it."""

    event: Event
    said: tuple[str, ...]
