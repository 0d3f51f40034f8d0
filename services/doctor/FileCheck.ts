import { Effect } from "effect"
import * as BlobCheck from "../files/BlobCheck.ts"
import { Blobs } from "../files/Blobs.ts"
import type { Faults } from "./Check.ts"

const namesOf = ({ attachments, exports, imports }: BlobCheck.BlobFault): string =>
  [...attachments, ...exports, ...imports].join(", ")

/** Compares each file that a record uses with its row: its SHA-256, or with `isQuick` only its size. */
export const fileCheck = (options: { readonly isQuick: boolean }) => ({
  name: "files",
  run: Effect.fnUntraced(function* (faults: Faults) {
    const { ready } = yield* Blobs
    const away = yield* Effect.match(ready, { onSuccess: () => undefined, onFailure: ({ reason }) => reason })
    if (away !== undefined) {
      faults.add({
        problem: `Files cannot be stored or read: ${away}.`,
        remedy: "Correct the variable or the permissions that the reason names."
      })
      return
    }
    const { next } = yield* BlobCheck.check(options)
    while (!faults.isFull) {
      const found = yield* next
      if (found.length === 0) return
      for (const fault of found) {
        faults.add({
          workspace_id: fault.workspace_id,
          problem:
            fault.problem === "missing"
              ? `The file ${fault.sha256} is missing, which ${namesOf(fault)} need.`
              : `The file ${fault.sha256}, which ${namesOf(fault)} need, has other bytes than were stored.`,
          remedy: "Copy the file from a backup. Otherwise delete these records, or upload the file to them again."
        })
      }
    }
  })
})
