import { Data, Effect } from "effect"
import { messageOf } from "../ErrorCause.ts"
import { fileFailure } from "../FileFailure.ts"

/** A backup or a restore failed: one line for the operator. */
export class BackupFailed extends Data.TaggedError("BackupFailed")<{
  readonly message: string
  /** Whether nothing was attempted, because another process makes the backup, or has made it. */
  readonly isSkipped?: boolean
}> {}

/** Returns the fault of a backup, and how to find out more. */
export const filesLeftOut = (name: string, count: number): string =>
  `${name} is without the bytes of ${count} files that are missing or damaged: sheaf files check lists them`

/** An error of the file system or of a stream, such as a full disk. */
export class SystemFailure extends Data.TaggedError("SystemFailure")<{ readonly cause: unknown }> {}

/** Why a backup or a restore failed, for the operator. `path`: for an error of the file system that names no file. */
export const reasonOf = (error: unknown, path: string): string =>
  (error instanceof SystemFailure ? fileFailure(error.cause, path) : undefined) ?? messageOf(error)

const failureOf = (error: unknown): BackupFailed | SystemFailure =>
  error instanceof BackupFailed ? error : new SystemFailure({ cause: error })

/** Calls a place, a reader or a writer of backups. */
export const attempt = <A>(call: () => Promise<A>): Effect.Effect<A, BackupFailed | SystemFailure> =>
  Effect.tryPromise({ try: call, catch: failureOf })

/** Whether an error comes from the system, and so not from the bytes that were read. */
export const isSystemError = (error: unknown): boolean => error instanceof Error && "syscall" in error
