import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { RoundRobinQueue } from "../../../services/concurrency/RoundRobinQueue.ts"

interface Item {
  readonly group: string
  readonly member: string
}

const keyOf = ({ group, member }: Item) => [group, member] as const

const items = ["a", "b", "c"].flatMap((group) => ["1", "2"].map((member): Item => ({ group, member })))

describe("RoundRobinQueue", () => {
  it("gives no group, and no member of a group, two turns while another that may have one waits", () => {
    const step = fc.oneof(
      { weight: 6, arbitrary: fc.record({ add: fc.constantFrom(...items) }) },
      { weight: 4, arbitrary: fc.constant("take" as const) },
      { weight: 3, arbitrary: fc.record({ release: fc.nat(8) }) },
      { weight: 1, arbitrary: fc.record({ remove: fc.nat(20) }) }
    )
    const limits = fc.record({
      permits: fc.integer({ min: 1, max: 6 }),
      permitsPerGroup: fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined }),
      permitsPerKey: fc.integer({ min: 1, max: 3 })
    })
    fc.assert(
      fc.property(
        limits,
        fc.array(step, { maxLength: 200, size: "max" }),
        ({ permits, permitsPerGroup, permitsPerKey }, steps) => {
          const queue = new RoundRobinQueue<Item>({ permits, permitsPerGroup, permitsPerKey })
          const perGroup = permitsPerGroup ?? Math.max(1, Math.floor(permits / 2))
          const waiting: Array<Item> = []
          const taken: Array<Item> = []
          /** Per waiting group or member: the turns that others have had since it could have had one. */
          const passed = new Map<string, Map<string, number>>()

          const ofGroup = (some: ReadonlyArray<Item>, { group }: Item) => some.filter((each) => each.group === group)
          const ofMember = (some: ReadonlyArray<Item>, item: Item) =>
            ofGroup(some, item).filter(({ member }) => member === item.member)
          const mayTakeMember = (item: Item) =>
            ofMember(waiting, item).length > 0 && ofMember(taken, item).length < permitsPerKey
          const mayTakeGroup = (item: Item) =>
            ofGroup(items, item).some(mayTakeMember) && ofGroup(taken, item).length < perGroup

          /** `name` waits or not. When `other` has a turn meanwhile, it must be its first one since. */
          const count = (name: string, isWaiting: boolean, other?: string) => {
            if (!isWaiting || name === other) passed.delete(name)
            else if (other !== undefined) {
              const turns = passed.get(name) ?? new Map<string, number>()
              passed.set(name, turns.set(other, (turns.get(other) ?? 0) + 1))
              expect(turns.get(other)).toBe(1)
            }
          }
          const nameOf = ({ group, member }: Item) => `${group} ${member}`

          for (const each of steps) {
            let turn: Item | undefined
            if (each === "take") {
              const mayTake = taken.length < permits && items.some(mayTakeGroup)
              const waits = new Map(items.map((item) => [nameOf(item), mayTakeMember(item)]))
              const groupWaits = new Map(items.map((item) => [item.group, mayTakeGroup(item)]))
              turn = queue.take()
              expect(turn !== undefined).toBe(mayTake)
              if (turn !== undefined) {
                for (const [group, isWaiting] of groupWaits) count(group, isWaiting, turn.group)
                for (const item of ofGroup(items, turn)) count(nameOf(item), waits.get(nameOf(item))!, nameOf(turn))
                waiting.splice(waiting.indexOf(turn), 1)
                taken.push(turn)
              }
            } else if ("add" in each) {
              const item = { ...each.add }
              waiting.push(item)
              queue.add(keyOf(item), item)
            } else if ("release" in each) {
              const [item] = taken.splice(each.release % Math.max(1, taken.length), 1)
              if (item !== undefined) queue.release(keyOf(item))
            } else {
              const [item] = waiting.splice(each.remove % Math.max(1, waiting.length), 1)
              if (item !== undefined) queue.remove(keyOf(item), item)
            }
            for (const item of items) {
              count(nameOf(item), mayTakeMember(item))
              count(item.group, mayTakeGroup(item))
              expect(queue.waitingOf(keyOf(item))).toBe(ofMember(waiting, item).length)
              expect(queue.takenOf(keyOf(item))).toBe(ofMember(taken, item).length)
              expect(ofMember(taken, item).length).toBeLessThanOrEqual(permitsPerKey)
              expect(ofGroup(taken, item).length).toBeLessThanOrEqual(perGroup)
            }
            expect(queue.waiting).toBe(waiting.length)
            expect(taken.length).toBeLessThanOrEqual(permits)
          }
        }
      ),
      { numRuns: 100 }
    )
  })
})
