"""Casts of films, in billing order, from every form the field uses, gz of any.

    Movie101            {"7042": {"653838": {"name": "the actor", "rolename": "the role"}, ...}, ...}
    Movie101 v2         {"id": "7042", "role": {"653838": {"actor": ..., "role": ...}, ...}, ...}
    plain JSON          {"7042": ["Maria", {"name": "Odysseus", "aliases": ["Ulysses"], "actor": ...}], ...}
    JSON lines          {"film": "7042", "name": "Odysseus", "aliases": ["Ulysses"]}, the first-billed first
    CSV, TSV            a header with film, name and, if there are any, aliases (separated by |), actor and portrait

A role may have a `portrait`, a picture file whose path starts at the file of the cast.

A name that two roles of a film share cannot tell them apart, and is refused. Movie101's files list actors: where two
of them play parts of one name (extras, twins), the name is one role, and a part written `A / B` is also called A and B.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from kataribe.core.errors import InputError, Location, shorten
from kataribe.core.types import Cast, Role
from kataribe.formats.source import (
    Paths,
    check_id,
    check_text,
    entries_by_id,
    first_field,
    read_by_extension,
    read_joined,
    refuse_repeated_keys,
)

Source = str | Path | Mapping[Any, Any] | Iterable[Cast]

FILM_FIELDS = ("film", "movie_id", "movie", "film_id", "video_id", "video")
NAME_FIELDS = ("name", "role", "rolename")

_HINT = 'write {"film": ["Maria", {"name": "Odysseus", "aliases": ["Ulysses"]}]}'

# (film, role)
Entry = tuple[str, Role]


def read_casts(source: Source | Paths) -> dict[str, Cast]:
    """The casts of one file or, if they are spread over several, of all; each film is in one of them.

    >>> casts = read_casts({"7042": ["Maria", {"name": "Odysseus", "aliases": ["Ulysses"]}]})
    >>> casts["7042"].roles[1].names
    ('Odysseus', 'Ulysses')
    """
    return read_joined(source, _read_casts)


def _read_casts(source: Source) -> dict[str, Cast]:
    path = Path(source) if isinstance(source, str | Path) else None
    if path is not None:
        entries = read_by_extension(
            path,
            lines=_from_objects,
            table=lambda rows: _from_objects((location, _cells(row)) for location, row in rows),
            document=lambda data: _from_json(data, path),
        )
    elif isinstance(source, Mapping):
        entries = _from_json(source, None)
    else:
        entries = ((cast.film, role) for cast in source for role in cast.roles)  # type: ignore[union-attr]
    roles: dict[str, list[Role]] = {}
    for film, role in entries:
        roles.setdefault(film, []).append(role)
    if not roles:
        raise Location(path).error("holds no cast", hint=_HINT)
    return {film: _cast(film, members, path) for film, members in roles.items()}


def _cast(film: str, roles: list[Role], path: Path | None) -> Cast:
    owners: dict[str, str] = {}
    for role in roles:
        for name in role.names:
            if name in owners:
                whose = "twice" if owners[name] == role.name else f"of both {owners[name]!r} and {role.name!r}"
                raise Location(path, film).error(
                    f"{shorten(name)!r} is the name {whose}",
                    hint="names of one film must tell its roles apart; remove one",
                )
            owners[name] = role.name
    return Cast(film, tuple(roles))


def _from_json(data: Any, path: Path | None) -> Iterator[Entry]:
    if not isinstance(data, Mapping):
        raise Location(path).error(f"holds a {type(data).__name__}, not casts by film", hint=_HINT)
    refuse_repeated_keys(data, path)
    if isinstance(data.get("role"), Mapping) and "id" in data:
        data = {data["id"]: data["role"]}
    for film, members in entries_by_id(data, path):
        location = Location(path, film)
        if isinstance(members, Cast):
            yield from ((film, role) for role in members.roles)
        elif isinstance(members, Mapping):
            refuse_repeated_keys(members, path)
            yield from ((film, role) for role in _of_actors(members, location))
        elif isinstance(members, list | tuple):
            for number, entry in enumerate(members, start=1):
                yield film, _role(entry, location.at(field=f"role {number}"))
        else:
            raise location.error(f"is {shorten(repr(members), 40)}, not a cast", hint=_HINT)


def portrait_files(cast: Cast, beside: Path) -> dict[str, Path]:
    """The portraits of a cast by the names of its roles; `beside` is the file of the cast.

    >>> portrait_files(Cast("film", (Role("Maria", portrait="maria.png"), Role("Odysseus"))), Path("casts/all.json"))
    {'Maria': PosixPath('casts/maria.png')}
    """
    return {role.name: beside.parent / role.portrait for role in cast.roles if role.portrait}


def _of_actors(members: Mapping[str, Any], location: Location) -> list[Role]:
    """Movie101 lists actors by id; several who play parts of one name are one role, billed where the first is."""
    roles: dict[str, Role] = {}
    for key, entry in members.items():
        name_field = first_field(entry, ("rolename", "role")) if isinstance(entry, Mapping) else None
        if name_field is None:
            raise location.at(field=str(key)).error(
                f"is {shorten(repr(entry), 40)}, not an actor and a role",
                hint='write {"name": "the actor", "rolename": "the role"}',
            )
        name = _name(entry[name_field], location.at(field=f"{key}.{name_field}"))
        actor = str(entry.get("actor" if name_field == "role" else "name", ""))
        known = roles.get(name)
        roles[name] = replace(known, actor=f"{known.actor}, {actor}") if known else Role(name, _parts(name), actor)
    return list(roles.values())


def _parts(name: str) -> tuple[str, ...]:
    """
    >>> _parts("Clark / Superman"), _parts("Clark")
    (('Clark', 'Superman'), ())
    """
    parts = tuple(part.strip() for part in name.split("/") if part.strip())
    return parts if len(parts) > 1 else ()


def _from_objects(entries: Iterable[tuple[Location, Any]]) -> Iterator[Entry]:
    for location, entry in entries:
        film_field = first_field(entry, FILM_FIELDS) if isinstance(entry, Mapping) else None
        if film_field is None:
            raise InputError(f"{location} names no film", hint=f"name the field {' or '.join(FILM_FIELDS[:3])}")
        film = check_id(entry[film_field], location)
        yield film, _role(entry, location.at(id=film))


def _role(entry: Any, location: Location) -> Role:
    if isinstance(entry, str):
        entry = {"name": entry}
    name_field = first_field(entry, NAME_FIELDS) if isinstance(entry, Mapping) else None
    if name_field is None:
        raise location.error(f"is {shorten(repr(entry), 40)}, not a role", hint=_HINT)
    aliases = entry.get("aliases", ())
    if not isinstance(aliases, list | tuple):
        raise location.error("aliases is not a list", hint=_HINT)
    return Role(
        _name(entry[name_field], location.within(name_field)),
        tuple(_name(alias, location.within("aliases")) for alias in aliases),
        str(entry.get("actor", "")),
        check_text(entry.get("portrait") or "", location.within("portrait")),
    )


def _name(value: Any, location: Location) -> str:
    name = check_text(value, location).strip()
    if not name:
        raise location.error("the name is empty", hint="name the role or remove it")
    return name


def _cells(row: Mapping[str, str]) -> dict[str, Any]:
    """A table keeps the aliases of a role in one cell."""
    aliases = [alias.strip() for alias in row.get("aliases", "").split("|") if alias.strip()]
    return {**row, "aliases": aliases}
