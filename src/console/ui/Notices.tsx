import { signal } from "@preact/signals"
import { SheafError } from "../../client/SheafClient.ts"
import { texts } from "../Messages.ts"
import { IconButton } from "./Button.tsx"

interface Notice {
  readonly id: number
  readonly text: string
  readonly action?: { readonly label: string; readonly run: () => void } | undefined
}

/** Maximum number of notices on the screen. */
const most = 3
/** Milliseconds for which a notice stays. */
const life = 8_000

const notices = signal<ReadonlyArray<Notice>>([])
let last = 0

const dismiss = (id: number): void => {
  notices.value = notices.value.filter((notice) => notice.id !== id)
}

/** Shows a message for some seconds, such as one with an undo. */
export const notify = (text: string, action?: Notice["action"]): void => {
  const id = ++last
  notices.value = [...notices.value, { id, text, action }].slice(-most)
  setTimeout(() => dismiss(id), life)
}

/** A sentence about an error of a call. Other errors are defects. */
export const messageOf = (error: unknown): string => {
  if (!(error instanceof SheafError)) throw error
  const { code, detail, status } = error.problem
  // A proxy responds while the server is away.
  if (code === "no_response" || (code === "unexpected_response" && status >= 502)) return texts.offline
  return texts.problems[code] ?? detail
}

/** Runs an action of the user, and shows why it has failed. */
export const attempt = async (action: () => Promise<unknown>): Promise<void> => {
  try {
    await action()
  } catch (error) {
    notify(messageOf(error))
  }
}

export const Notices = () => (
  <div class="notices" role="status">
    {notices.value.map(({ action, id, text }) => (
      <div key={id} class="notice">
        <span>{text}</span>
        {action !== undefined && (
          <button type="button" class="link" onClick={() => (dismiss(id), action.run())}>
            {action.label}
          </button>
        )}
        <IconButton icon="close" label={texts.close} onClick={() => dismiss(id)} />
      </div>
    ))}
  </div>
)
