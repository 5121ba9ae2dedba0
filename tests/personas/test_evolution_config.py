"""The configuration of a run: what it fills in, what it refuses, and that documents of before keep their hashes."""

import json
from dataclasses import replace

import pytest

from engine.level import draw_level
from personas.evolution import ConfigError, RunConfig
from personas.persona import catalogue

CONFIG = RunConfig(persona="maxs", seed=4, preset="replication")
STANDARD = RunConfig(persona="mins", seed=4, racing=5)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("population", 0),
        ("population", 3),
        ("population", 1001),
        ("generations", 0),
        ("generations", 1001),
        ("games", 0),
        ("games", -1),
        ("games", 10**9),
        ("iterations", 0),
        ("iterations", 100_001),
        ("moves", 0),
        ("moves", 201),
        ("seed", -1),
        ("seed", 2**53),
        ("seed", 1.5),
        ("population", "many"),
        ("population", True),
        ("persona", "best"),
        ("preset", "best"),
        ("scale", 0),
        ("scale", 10**7),
        ("lookahead", -1),
        ("lookahead", 1001),
        ("draws", 0),
        ("draws", 33),
        ("final", "best"),
        ("final", True),
        ("racing", 4),
        ("racing", -1),
        ("final_games", 10**6),
        ("game", "chess"),
        ("clairvoyant", 1),
        ("level", {"game": "match3"}),
    ],
)
def test_config_with_an_absurd_value_is_refused_with_a_sentence(field, value):
    with pytest.raises(ConfigError, match=r"^[^\n]+[.]$"):
        RunConfig(**({"persona": "maxs", "seed": 1} | {field: value}))
    with pytest.raises(ConfigError, match=r"^[^\n]+[.]$"):
        RunConfig.from_document({"persona": "maxs", "seed": 1} | {field: value})


@pytest.mark.parametrize("field", ["scale", "lookahead", "draws", "racing", "final_games", "final"])
def test_config_of_the_replication_refuses_what_only_the_standard_has(field):
    with pytest.raises(ConfigError, match=f"{field} is for the preset standard only"):
        RunConfig(persona="maxs", seed=1, preset="replication", **{field: "formula" if field == "final" else 5})


def test_config_document_of_an_older_release_is_read_and_keeps_its_hash():
    # What a run of the release before wrote; the catalogue's MinM names the beginning of its hash.
    document = {
        "persona": "minm",
        "seed": 1,
        "game": "match3",
        "preset": "replication",
        "population": 40,
        "generations": 10,
        "games": 50,
        "iterations": 250,
        "moves": 20,
        "clairvoyant": False,
        "level": None,
    }
    config = RunConfig.from_document(document)
    assert config.to_document() == document
    assert config.content_hash()[:12] == catalogue()["minm-replication"].source.run


@pytest.mark.parametrize(("field", "usual", "other"), [("draws", 1, 6), ("final", "mean", "formula")])
def test_config_with_the_usual_is_that_of_before_there_was_anything_else(field, usual, other):
    config = RunConfig(persona="maxm", seed=1)
    assert getattr(config, field) == usual
    assert field not in config.to_document()
    assert RunConfig.from_document(config.to_document()) == config
    changed = replace(config, **{field: other})
    assert RunConfig.from_document(changed.to_document()) == changed
    assert changed.content_hash() != config.content_hash()


def test_config_fills_in_what_the_preset_has():
    config = RunConfig(persona="minm", seed=1)
    assert (config.preset, config.scale, config.lookahead, config.racing, config.final_games) == (
        "standard",
        10,
        0,
        0,
        100,
    )
    assert RunConfig(persona="maxs", seed=1).scale == 1000


@pytest.mark.parametrize("document", [None, 3, {}, {"persona": "maxs"}, {"persona": "maxs", "seed": 1, "speed": 2}])
def test_config_document_that_is_none_is_refused(document):
    with pytest.raises(ConfigError):
        RunConfig.from_document(document)


def test_config_reads_back_equal_from_its_document():
    for config in (CONFIG, STANDARD, replace(CONFIG, level=draw_level(seed=1).to_document(), clairvoyant=True)):
        document = json.loads(json.dumps(config.to_document()))
        assert RunConfig.from_document(document) == config
        assert RunConfig.from_document(document).content_hash() == config.content_hash()
    assert CONFIG.content_hash() != replace(CONFIG, seed=9).content_hash()


def test_config_shares_of_the_paper():
    config = RunConfig(persona="maxs", seed=1)
    assert (config.elites, config.mutants) == (10, 45)
    assert (config.population, config.generations, config.games, config.iterations, config.moves) == (
        100,
        100,
        50,
        250,
        20,
    )
