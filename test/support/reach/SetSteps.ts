import type { TestApp } from "../TestApp.ts"

/** Change sets of random requests, and their reverts. */

type Headers = Readonly<Record<string, string>>

/** The change sets of the key, the same in each world. */
export const ownSets: ReadonlyArray<string> = [0, 1, 2, 3].map((index) => `cs_${String(index).padStart(20, "w")}`)

/** The headers of a request in a change set, or in none: a set that is reverted takes no more changes. */
export const inSomeSet = (headers: Headers, numbers: ReadonlyArray<number>): Headers =>
  numbers[2]! % 4 === 0 ? headers : { ...headers, "change-set": ownSets[numbers[9]! % ownSets.length]! }

/** The revert of a response once it has ended, with its outcomes: when it runs, it may have any state. */
export const endOf = async (app: TestApp, headers: Headers, id: string): Promise<object> => {
  await app.idle()
  const revert = (await app.call("GET", `/reverts/${id}`, undefined, headers)).body
  if (revert.status !== "done") throw new Error(JSON.stringify(revert))
  return { revert, outcomes: (await app.call("GET", `/reverts/${id}/records?limit=100`, undefined, headers)).body.data }
}

let made = 0

/** Reverts a change set, or previews that, until the end. Returns the id of the revert. */
export const revertedSet = async (app: TestApp, headers: Headers, set: string, preview: boolean): Promise<string> => {
  const { id } = (await app.call("POST", `/change-sets/${set}/revert`, { preview }, headers)).body
  await app.idle()
  return id
}

/** The id of a new set. */
export const someSet = (): string => `cs_${String(++made).padStart(20, "p")}`
