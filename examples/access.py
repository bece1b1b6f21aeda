"""Four people, one photo: a first round, an objection, a second round, and a limit nobody can move."""

from __future__ import annotations

from entrenous import access


def show(title: str, decision: access.Decision) -> None:
    print(f"{title}: {decision.choice} ({decision.rule})")


def main() -> None:
    item = access.read_example("thesis-oc")
    decision = access.decide(item)
    show("First round", decision)
    print("What u4 is told:", decision.reasons["u4"])

    objection = access.second_round(item, "u4")
    print(f"\nFor whoever may read all answers: {objection.alone.points} points of u4's own would change it;")
    print("of the others, these could, the nearest first:", ", ".join(objection.helpers))

    revised = item.revised({"u3": {"friends": 4, "friends-of-friends": 2, "public": 0}})
    show("\nu3 thinks again. Second round", access.decide(revised))

    group = access.read_example("limits")
    show("\nAnother photo, with a hard limit of dora", access.decide(group))
    for rule, entry in access.compare(group).items():
        print(f"  {rule:<10} {entry.choice:<18} oversteps {entry.past_limit} limits")


if __name__ == "__main__":
    main()
