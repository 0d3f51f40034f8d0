import { createHash, type Hash } from "node:crypto"
import type { Budget, Sliced } from "../../services/budgets/Budget.ts"

/** Letters of a string, or bytes of a body, that are hashed at a time. */
const piece = 128 * 1024
/** Steps of a letter or byte, and of a value. */
const cost = { letter: 0.05, value: 5 } as const

function* hashingText(text: string, made: Hash, budget: Budget): Sliced<void> {
  made.update(`"${text.length}:`)
  for (let from = 0; from < text.length;) {
    const to = Math.min(from + piece, text.length)
    // In UTF-8 all halves of pairs are the same.
    made.update(text.slice(from, to), "utf16le")
    if (budget.spend((to - from) * cost.letter)) yield
    from = to
  }
}

function* hashing(value: unknown, made: Hash, budget: Budget): Sliced<void> {
  if (budget.spend(cost.value)) yield
  if (typeof value === "string") return yield* hashingText(value, made, budget)
  if (typeof value !== "object" || value === null) {
    // Numbers beyond the largest one are not null; -0 is 0.
    made.update(`${value},`)
    return
  }
  if (Array.isArray(value)) {
    made.update(`[${value.length},`)
    for (const item of value) yield* hashing(item, made, budget)
    return
  }
  const members = value as Readonly<Record<string, unknown>>
  const names = Object.keys(members).sort()
  made.update(`{${names.length},`)
  for (const name of names) {
    yield* hashingText(name, made, budget)
    yield* hashing(members[name], made, budget)
  }
}

/**
 * What a request says, as a hash of its query and the value of its JSON body: the same for bodies that are equal as JSON
 * (contract 2, Idempotency-Key), whatever their white space, escapes, forms of numbers and order of members. Of members
 * with the same name the last counts, as for the parser.
 */
export function* ofJson(query: string, value: unknown, budget: Budget): Sliced<string> {
  const made = createHash("sha256").update("json\0").update(query).update("\0")
  yield* hashing(value, made, budget)
  return made.digest("base64url")
}

/** What a request says that has no JSON: a hash of its query and the bytes of its body. */
export function* ofBytes(query: string, body: Uint8Array, budget: Budget): Sliced<string> {
  const made = createHash("sha256").update(query).update("\0")
  for (let at = 0; at < body.length; at += piece) {
    const some = body.subarray(at, at + piece)
    made.update(some)
    if (budget.spend(some.length * cost.letter)) yield
  }
  return made.update("\0").digest("base64url")
}
