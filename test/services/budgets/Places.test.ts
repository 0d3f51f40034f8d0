import { describe, expect, it } from "vitest"
import { Line, Places } from "../../../services/budgets/Places.ts"

const none = () => false

const start = (places: number, placesPerLine: number, waiting: Readonly<Record<string, number>>) => {
  const shared = new Places<string>(places, placesPerLine)
  const lines = new Map<string, Line<string>>()
  for (const [name, count] of Object.entries(waiting)) {
    const line = new Line<string>()
    lines.set(name, line)
    for (let at = 1; at <= count; at++) shared.wait(line, `${name}${at}`)
  }
  return {
    more: (item: string) => shared.more(lines.get(item[0]!)!),
    wait: (item: string) => shared.wait(lines.get(item[0]!)!, item),
    leave: (item: string) => shared.leave(lines.get(item[0]!)!),
    /** All that can be begun, the preferred of each line first. */
    begin: (isPreferred: (item: string) => boolean = none) => {
      const begun: Array<string> = []
      for (let next = shared.next(isPreferred); next !== undefined; next = shared.next(isPreferred)) begun.push(next)
      return begun
    }
  }
}

describe("places", () => {
  it("are taken by lines in turns, however much waits in one of them", () => {
    const { begin } = start(10, 10, { a: 4, b: 1, c: 2 })
    expect(begin()).toEqual(["a1", "b1", "c1", "a2", "c2", "a3", "a4"])
  })

  it("are as many as there are, and are taken again when one is left", () => {
    const { begin, leave } = start(2, 2, { a: 3, b: 1 })
    expect(begin()).toEqual(["a1", "b1"])
    expect(begin()).toEqual([])
    leave("b1")
    expect(begin()).toEqual(["a2"])
    leave("a1")
    leave("a2")
    expect(begin()).toEqual(["a3"])
  })

  it("are not all one line's", () => {
    const { begin, leave, wait } = start(5, 2, { a: 4, b: 1 })
    expect(begin()).toEqual(["a1", "b1", "a2"])
    wait("b2")
    expect(begin()).toEqual(["b2"])
    leave("a2")
    expect(begin()).toEqual(["a3"])
    leave("b1")
    leave("a1")
    wait("b3")
    expect(begin()).toEqual(["a4", "b3"])
  })

  it("are taken by one item more than once, as far as there are any", () => {
    const { begin, more } = start(3, 2, { a: 1, b: 1 })
    expect(begin()).toEqual(["a1", "b1"])
    expect([more("a1"), more("a1"), more("b1")]).toEqual([true, false, false])
  })

  it("are taken first by what is preferred in a line", () => {
    const { begin } = start(3, 2, { a: 3, b: 2 })
    expect(begin((item) => item === "a3" || item === "b1")).toEqual(["a3", "b1", "a1"])
  })

  it("are left to who comes later, when nothing waits", () => {
    const { begin, leave, wait } = start(1, 1, { a: 1 })
    expect(begin()).toEqual(["a1"])
    leave("a1")
    expect(begin()).toEqual([])
    wait("a2")
    expect(begin()).toEqual(["a2"])
  })
})
