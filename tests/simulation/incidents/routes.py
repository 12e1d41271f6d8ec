"""What happens to topics, and to what the watcher says of them."""

from functools import partial
from random import Random
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tests.simulation.world import World


TOPIC_SEEN_AGAIN_MS: Final = 2_000


def _topic(world: "World", dice: Random) -> str:
    return dice.choice(list(world.driver.topics))


def grow(world: "World", dice: Random) -> None:
    """A topic gets more queues."""
    topic = _topic(world, dice)
    world.change(topic, min(8, world.driver.topics[topic].queues + dice.randint(1, 2)))
    world.faults.occurred("D4")


def shrink(world: "World", dice: Random) -> None:
    """A topic has fewer queues."""
    topic = _topic(world, dice)
    world.change(topic, max(1, world.driver.topics[topic].queues - dice.randint(1, 2)))
    world.faults.occurred("D4")


def delete(world: "World", dice: Random) -> None:
    """A topic is deleted, whoever owns its queues."""
    topic = _topic(world, dice)
    if any(queue.topic == topic for process in world.processes for queue in process.working):
        world.faults.occurred("D2")
    world.change(topic, 0)


def recreate(world: "World", dice: Random) -> None:
    """A topic is deleted and made anew."""
    topic, queues = _topic(world, dice), dice.randint(1, 5)
    world.change(topic, 0)

    def again() -> None:
        world.change(topic, queues)
        world.faults.occurred("D3")

    world.later(dice.choice([50, 500, 4_000]), again)


def route_flap(world: "World", dice: Random) -> None:
    """Queues vanish and are back, twice."""
    topic = _topic(world, dice)
    queues = world.driver.topics[topic].queues

    def back(place: int) -> None:
        world.change(topic, queues)
        if place:
            world.faults.occurred("D1")

    for place in range(2):
        world.later(place * 1_200, lambda: world.change(topic, queues // 2))
        world.later(place * 1_200 + 600, partial(back, place))


def half_route(world: "World", dice: Random) -> None:
    """The watcher sees half of a topic, once."""
    topic = _topic(world, dice)
    queues = world.driver.topics[topic].queues
    world.change(topic, queues // 2)
    world.later(TOPIC_SEEN_AGAIN_MS, lambda: world.change(topic, queues))
    world.faults.occurred("D6")


def write_only(world: "World", dice: Random) -> None:
    """One queue in the midst of others cannot be read for a while: it is left out of the route."""
    topic = _topic(world, dice)
    queues = world.driver.topics[topic].queues
    if queues > 1:
        for _ in range(2):  # the second look confirms the first
            world.driver.close(topic, dice.randrange(queues - 1), world.now)
        back_ms = dice.choice([600, 2_500])
        world.later(back_ms, lambda: world.change(topic, queues))
        world.faults.occurred("D8")


def conflict(world: "World", dice: Random) -> None:
    """Two watchers disagree about one version; later one of them looks again."""
    topic = _topic(world, dice)
    queues = world.driver.topics[topic].queues
    world.driver.publish(topic, world.now)
    world.driver.publish(topic, world.now, queues + 1)
    world.later(TOPIC_SEEN_AGAIN_MS, lambda: world.change(topic, queues))
    world.faults.occurred("D5")
