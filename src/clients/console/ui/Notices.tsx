import { signal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useId, useLayoutEffect, useState } from "preact/hooks"
import { type ProblemCode, SheafError } from "../../client/SheafClient.ts"
import { texts } from "../Messages.ts"
import { IconButton } from "./Button.tsx"

interface Notice {
  readonly id: number
  readonly text: ComponentChildren
  readonly action: { readonly label: string; readonly run: () => void } | undefined
  readonly topic: string | undefined
  readonly stays: boolean
}

/** Maximum number of notices on the screen. */
const most = 3
/** Milliseconds for which a notice stays after the pointer and the focus have left it. */
const life = 8_000
/** The same for a notice with an action, which takes time to reach with the keyboard. */
const lifeWithAction = 20_000

const notices = signal<ReadonlyArray<Notice>>([])
let last = 0

/** A dialog over each page, which notices and other dialogs open. */
export const shownDialog = signal<ComponentChildren>(undefined)

const dismiss = (id: number): void => {
  notices.value = notices.value.filter((notice) => notice.id !== id)
}

/**
 * Shows a message for some seconds, such as one with an undo, or with `stays` until the user closes it. It replaces an
 * earlier one about the same topic.
 */
export const notify = (text: ComponentChildren, action?: Notice["action"], topic?: string, stays = false): void => {
  const earlier = notices.value.filter((notice) => topic === undefined || notice.topic !== topic)
  // A notice with an action that undoes it stays longest.
  const dropped = earlier.length < most ? undefined : (earlier.find(({ action }) => action === undefined) ?? earlier[0])
  notices.value = [...earlier.filter((notice) => notice !== dropped), { id: ++last, text, action, topic, stays }]
}

/** Removes the notice about a topic, when what it says is over. */
export const endNotice = (topic: string): void => {
  notices.value = notices.value.filter((notice) => notice.topic !== topic)
}

/** Whether the server cannot be reached. A proxy responds while the server is away. */
export const isAway = (error: unknown): boolean =>
  error instanceof SheafError &&
  (error.problem.code === "no_response" ||
    (error.problem.code === "unexpected_response" && error.problem.status >= 502))

const problems: Partial<Record<ProblemCode, string>> = texts.problems

/** A sentence about an error of a call. Other errors are defects. */
export const messageOf = (error: unknown): string => {
  if (!(error instanceof SheafError)) throw error
  const { code, detail, title } = error.problem
  if (isAway(error)) return title ?? texts.offline
  return problems[code] ?? detail
}

/** Runs an action of the user, and shows why it has failed. Returns whether it has succeeded. */
export const attempt = async (action: () => Promise<unknown>): Promise<boolean> => {
  try {
    await action()
    return true
  } catch (error) {
    notify(messageOf(error))
    return false
  }
}

/** Loads a module. Without it a notice says why: the file is that of an earlier version of the server, or there is no network. */
export const loaded = <Module,>(load: () => Promise<Module>): Promise<Module | undefined> =>
  load().catch(() => {
    notify(navigator.onLine ? texts.newVersionOfServer : texts.offline)
    return undefined
  })

const NoticeLine = ({ action, id, stays, text }: Notice) => {
  const [isHovered, setIsHovered] = useState(false)
  const [isFocused, setIsFocused] = useState(false)
  const isHeld = stays || isHovered || isFocused
  useLayoutEffect(() => {
    if (isHeld) return
    const timer = setTimeout(() => dismiss(id), action === undefined ? life : lifeWithAction)
    return () => clearTimeout(timer)
  }, [isHeld])
  return (
    <div
      class="notice"
      onPointerEnter={() => setIsHovered(true)}
      onPointerLeave={() => setIsHovered(false)}
      onFocusIn={() => setIsFocused(true)}
      onFocusOut={() => setIsFocused(false)}
    >
      <span>{text}</span>
      {action !== undefined && (
        <button type="button" class="link" onClick={() => (dismiss(id), action.run())}>
          {action.label}
        </button>
      )}
      <IconButton icon="close" label={texts.close} onClick={() => dismiss(id)} />
    </div>
  )
}

/** The places for notices, the last of which shows them: that of the page, then that of each open dialog. */
const places = signal<ReadonlyArray<string>>([])

/** The notices. A dialog has a place of its own, because all that is outside of it cannot be clicked or read aloud. */
export const Notices = () => {
  const id = useId()
  useLayoutEffect(() => {
    places.value = [...places.value, id]
    return () => {
      places.value = places.value.filter((place) => place !== id)
    }
  }, [])
  return (
    <div class="notices" role="status">
      {places.value.at(-1) === id && notices.value.map((notice) => <NoticeLine key={notice.id} {...notice} />)}
    </div>
  )
}
