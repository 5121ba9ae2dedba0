"""The best score of a small SameGame board by trying every play, in plain Python."""

from tests.engine.naive import samegame as twin


def best_score(rows: list[str] | tuple[str, ...]) -> int:
    """What the best play of a board gives, bonus or deduction included."""
    known: dict[tuple[str, ...], int] = {}

    def best(board: twin.Board) -> int:
        key = tuple(twin.rows_of(board))
        if key not in known:
            found = twin.groups(board)
            known[key] = max(
                ((len(group) - 2) ** 2 + best(twin.without(board, group)) for group in found),
                default=0,
            )
            if not found:
                known[key] = twin.end_points(board)
        return known[key]

    return best(twin.board_of(rows))
