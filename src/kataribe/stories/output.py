"""Writing stories as a submission, which `formats.stories` and the published scorers read."""

from __future__ import annotations

import json

from kataribe.formats.storytable import StoryTable


def spell_submission(table: StoryTable) -> str:
    """The file's content; not-a-number and infinity, which JSON does not have, are written as they are read.

    >>> from kataribe.core.types import Caption, Segment, Story
    >>> spell_submission(StoryTable.of([Story("v", 9.0, (Caption(Segment(0, 4), "A dog."),))])).splitlines()[2]
    '    "v": [{"sentence": "A dog.", "timestamp": [0.0, 4.0]}]'
    """
    lines = []
    for story in table:
        captions = [
            {"sentence": caption.text, "timestamp": [caption.segment.start, caption.segment.end]}
            for caption in story.captions
        ]
        lines.append(f"    {json.dumps(story.video)}: {json.dumps(captions, ensure_ascii=False)}")
    results = ",\n".join(lines)
    return f'{{\n  "version": "VERSION 1.0", "external_data": {{}}, "results": {{\n{results}\n  }}\n}}\n'
