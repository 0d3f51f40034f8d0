import { Data } from "effect"
import { reasonOf, SystemFailure } from "../../../services/backup/BackupFailure.ts"

/** The reason why a command failed, as one line for the operator. */
export class Refused extends Data.TaggedError("Refused")<{
  readonly message: string
  /** The exit code; default: 1. */
  readonly code?: number
}> {}

/** An error of the file system, in words. */
export const inWords =
  (path: string) =>
  <E>(error: E): E | Refused =>
    error instanceof SystemFailure ? new Refused({ message: reasonOf(error, path) }) : error
