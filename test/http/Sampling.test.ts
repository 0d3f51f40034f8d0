import { expect, it } from "vitest"
import { Sampling } from "../../src/server/http/pipeline/Sampling.ts"

it("writes ten lines per second and code, and counts the others", () => {
  const sampling = new Sampling()
  const seen = Array.from({ length: 50 }, (_, index) => sampling.sees("overloaded", index))
  expect(seen.filter((each) => each === "written")).toHaveLength(10)
  expect(seen.indexOf("first passed")).toBe(10)
  expect(seen.filter((each) => each === "first passed")).toHaveLength(1)
  expect(sampling.sees("internal_error", 60)).toBe("written")
  expect(sampling.rest("overloaded")).toBe(40)
  expect(sampling.rest("overloaded")).toBe(0)
  expect(sampling.sees("overloaded", 1_000)).toBe("written")
  expect(sampling.sees("internal_error", 1_060)).toBe("written")
  expect(sampling.rest("internal_error")).toBe(0)
})
