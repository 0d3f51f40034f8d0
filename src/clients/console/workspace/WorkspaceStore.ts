import { batch, computed, signal } from "@preact/signals"
import { type Change, follow, isProblem, SheafError, type SheafClient } from "../../client/SheafClient.ts"
import { clientOf, keepUser } from "../accounts/AccountStore.ts"
import { endedSession } from "../accounts/endedSession.ts"
import type { Account } from "../accounts/KeptAccounts.ts"
import { longDate } from "../Dates.ts"
import type { NoteContent } from "../drafts/NoteContent.ts"
import type { DraftParts } from "../drafts/NoteDraft.ts"
import { WaitingTexts } from "../drafts/WaitingTexts.ts"
import { texts } from "../Messages.ts"
import type { SharedContent } from "../notes/SharedContent.ts"
import { forgetCopies } from "../offline/CopyMarks.ts"
import { notify } from "../ui/Notices.tsx"
import { keepLists, type Lists, readLists } from "./ListStore.ts"
import { pathTo } from "./NestedNotebooks.ts"
import { SeenNotes } from "./SeenNotes.ts"
import { untilShown } from "./ShownTab.ts"

/** Maximum number of tags that are shown, those of most notes first. */
export const maxTags = 500
/** Milliseconds from a change to the reading of the lists, so that many changes cause one reading. */
const beforeReading = 1_000
/** Milliseconds until the first repetition without a connection, doubled with each one, up to the longest. */
const firstRetry = 1_000
const longestRetry = 30_000

/** Receives changes of the workspace as they happen. */
export type Listener = (changes: ReadonlyArray<Change>) => void

/** A text that is open for writing. */
interface OpenText {
  readonly content: { readonly value: NoteContent }
  /** Whether the server has the text, or there is none. */
  readonly isKept: () => boolean
  readonly save: () => Promise<void>
}

const all = async <A>(list: AsyncIterable<A>, most = Infinity): Promise<ReadonlyArray<A>> => {
  const items: Array<A> = []
  for await (const item of list) {
    items.push(item)
    if (items.length >= most) break
  }
  return items
}

/** The open workspace: what all its pages show, and its changes as they happen. */
export class WorkspaceStore {
  readonly account: Account
  readonly client: SheafClient
  readonly workspaces = signal<Lists["workspaces"]>([])
  readonly notebooks = signal<Lists["notebooks"]>([])
  readonly tags = signal<Lists["tags"]>([])
  readonly templates = signal<Lists["templates"]>([])
  readonly members = signal<Lists["members"]>([])
  /** Whether the user administers the server; undefined until the server was reached. */
  readonly isOperator = signal<boolean | undefined>(undefined)
  /** Why no changes come: the server is away, or the user is not a member any more. */
  readonly failure = signal<SheafError | undefined>(undefined)
  /** The number of times that the server was reached. What failed before is repeated then. */
  readonly connections = signal(0)
  /** Whether there are lists: those of the server, or until they are read the last ones of this device. */
  readonly isReady = signal(false)
  /** The texts that are open for writing. */
  readonly texts = new Set<OpenText>()
  readonly seen = new SeenNotes()
  readonly workspace = computed(() => this.workspaces.value.find(({ id }) => id === this.account.workspace))
  readonly role = computed(() => this.members.value.find(({ user_id }) => user_id === this.account.id)?.role)
  readonly canWrite = computed(() => this.role.value !== "viewer")
  /** The notebook of new notes, unless another one is chosen. */
  readonly inbox = computed(() => this.notebooks.value.find(({ name }) => name === "Inbox") ?? this.notebooks.value[0])
  /** Whether a notebook has notes. Those in the trash do not count. */
  readonly hasNotes = computed(() => this.notebooks.value.some(({ note_count }) => note_count > 0))
  readonly draftParts: DraftParts
  /** The texts that no tab has open, and that are not saved yet. */
  readonly waiting: WaitingTexts
  /** What other apps have shared with this device, until it is a note. */
  readonly shared = signal<ReadonlyArray<SharedContent>>([])
  readonly #ended = new AbortController()
  /** Aborted by `close`. */
  readonly ended = this.#ended.signal
  readonly #listeners = new Set<Listener>()
  #cursor: string | undefined
  #failures = 0
  #retryTimer: ReturnType<typeof setTimeout> | undefined
  #readTimer: ReturnType<typeof setTimeout> | undefined
  #isRunning = false
  #reads = 0
  #shownRead = 0

  constructor(account: Account, client: SheafClient) {
    this.account = account
    this.client = client
    const { id, workspace } = account
    this.draftParts = { client, account: id, workspace, untitled: texts.untitled }
    this.waiting = new WaitingTexts({
      ...this.draftParts,
      isShownHere: (workspace) => this.#showsTextsOf(workspace),
      partsOf: (workspace) => this.partsOf(workspace),
      isConnected: () => this.connections.value > 0 && this.failure.value === undefined && !this.ended.aborted
    })
  }

  /** Shows the lists of this device, reads those of the server, and follows changes until `close`. */
  async open(): Promise<void> {
    addEventListener("online", this.retry)
    this.ended.addEventListener("abort", this.waiting.follow(this.connections))
    const stored = await readLists(this.account)
    if (stored !== undefined && !this.isReady.value) this.#show(stored)
    await this.retry()
  }

  close(): void {
    this.#ended.abort()
    removeEventListener("online", this.retry)
    clearTimeout(this.#retryTimer)
    clearTimeout(this.#readTimer)
  }

  /** Calls a listener with all changes until the returned function is called. */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Saves the texts that are open, and returns whether the server has stored all of them. */
  async saveTexts(): Promise<boolean> {
    await Promise.all([...this.texts].map((text) => text.save()))
    return [...this.texts].every((text) => text.isKept())
  }

  /** The name of a user, as members see it. */
  nameOf(user_id: string | null | undefined): string | undefined {
    const member = this.members.value.find((member) => member.user_id === user_id)
    return member === undefined ? undefined : member.name || member.email
  }

  /**
   * Whether texts of a workspace that were not saved are shown here: those of this one, and those of a workspace that the
   * user cannot open any more.
   */
  #showsTextsOf(workspace: string): boolean {
    const isLost = this.connections.value > 0 && this.workspaces.value.every(({ id }) => id !== workspace)
    return isLost || workspace === this.account.workspace
  }

  /** The services of texts of a workspace; undefined if the user cannot open it. */
  partsOf(workspace: string): DraftParts | undefined {
    if (workspace === this.account.workspace) return this.draftParts
    if (this.workspaces.value.every(({ id }) => id !== workspace)) return undefined
    // The client of this workspace says when the session has ended.
    return { ...this.draftParts, workspace, client: clientOf({ ...this.account, workspace }) }
  }

  notebook(id: string): Lists["notebooks"][number] | undefined {
    return this.notebooks.value.find((notebook) => notebook.id === id)
  }

  /** The names of a notebook and of those around it, from the outer one. */
  pathOf(id: string): ReadonlyArray<string> {
    const path = pathTo(this.notebooks.value, id).toReversed()
    return path.flatMap((each) => this.notebook(each)?.name ?? [])
  }

  /** A notebook for a text: the one where it belongs, or the first one if that was deleted or is of another workspace. */
  notebookFor(id: string): string {
    return (this.notebook(id) ?? this.notebooks.value[0])?.id ?? id
  }

  /** Reads the lists again, now. */
  async read(): Promise<void> {
    const { account, client } = this
    const turn = ++this.#reads
    const [workspaces, notebooks, tags, templates, members] = await Promise.all([
      all(client.listWorkspaces({ limit: 100 })),
      all(client.listNotebooks({ limit: 100 })),
      all(client.listTags({ limit: 100, sort: ["-note_count"] }), maxTags),
      all(client.listTemplates({ limit: 100 })),
      all(client.listMembers({ workspace_id: account.workspace, limit: 100 }))
    ])
    // The response to a later request may have come before.
    if (this.ended.aborted || turn < this.#shownRead) return
    this.#shownRead = turn
    const lists = { workspaces, notebooks, tags, templates, members }
    this.#show(lists)
    // The user was removed from a workspace, or it was deleted.
    forgetCopies(
      account.id,
      workspaces.map(({ id }) => id)
    )
    // The browser may refuse to store it: then the console opens with a network only.
    await keepLists(account, lists).catch(console.warn)
  }

  /** Connects now, such as after the user has signed in again. It does nothing while there is a connection. */
  readonly retry = async (): Promise<void> => {
    clearTimeout(this.#retryTimer)
    if (this.#isRunning) return
    this.#isRunning = true
    try {
      // Changes that happen while the lists are read come after them.
      this.#cursor ??= (await this.client.getSyncCursor({}, { signal: this.ended })).cursor
      const [me] = await Promise.all([this.client.getMe({}, { signal: this.ended }), this.read()])
      this.isOperator.value = me.operator
      await keepUser(this.account.id, me)
      this.#failures = 0
      this.#connected()
      await this.#follow(this.#cursor)
    } catch (error) {
      if (!this.ended.aborted) this.#failed(error)
    } finally {
      this.#isRunning = false
    }
  }

  /** Repeats what was refused, now that the session allows it. */
  async repeat(): Promise<void> {
    if (this.failure.value === undefined) this.connections.value++
    else await this.retry()
  }

  #show({ members, notebooks, tags, templates, workspaces }: Lists): void {
    batch(() => {
      this.workspaces.value = workspaces
      this.notebooks.value = notebooks
      this.tags.value = tags
      this.templates.value = templates
      this.members.value = members
      this.isReady.value = true
    })
  }

  #connected(): void {
    batch(() => {
      this.failure.value = undefined
      this.connections.value++
    })
  }

  /** Until the session is renewed, or the user tries again, only what can succeed by itself is repeated. */
  #failed(error: unknown): void {
    if (!(error instanceof SheafError)) throw error
    this.failure.value = error
    if (isRefusal(error)) {
      const { id, workspace } = this.account
      const others = this.workspaces.value.map((each) => each.id).filter((each) => each !== workspace)
      return forgetCopies(id, others)
    }
    if (isProblem(error, ...endedSession, "two_factors_required")) return
    this.#retryTimer = setTimeout(this.retry, Math.min(longestRetry, firstRetry * 2 ** this.#failures++))
  }

  /** Follows while the tab is shown, until the workspace is closed or cannot be read any more. */
  async #follow(cursor: string): Promise<void> {
    const onConnection = (error: unknown) => {
      if (error === undefined) this.#connected()
      else if (error instanceof SheafError) this.failure.value = error
    }
    this.#cursor = cursor
    while (!this.ended.aborted) {
      const shown = await untilShown(this.ended)
      for await (const batch of follow(this.client, { cursor: this.#cursor, signal: shown, onConnection })) {
        this.#cursor = batch.cursor
        if (batch.restored !== undefined) {
          const { backup_at } = batch.restored
          notify(texts.restored(backup_at === null ? undefined : longDate(backup_at)), undefined, "restored", true)
        }
        if (batch.changes.length === 0) continue
        this.seen.follow(batch.changes)
        for (const listener of this.#listeners) listener(batch.changes)
        this.#readSoon()
      }
    }
  }

  /** Reads names, colours and numbers of notes again. */
  #readSoon(): void {
    this.#readTimer ??= setTimeout(() => {
      this.#readTimer = undefined
      // Without a connection the lists stay as they are until the next change.
      this.read().catch((error: unknown) => {
        if (!(error instanceof SheafError)) throw error
      })
    }, beforeReading)
  }
}

/** Whether the user may not read the workspace: it was deleted, or the user was removed from it. */
export const isRefusal = ({ problem: { code, status } }: SheafError): boolean =>
  (status === 403 || status === 404) && code !== "unexpected_response" && code !== "two_factors_required"
