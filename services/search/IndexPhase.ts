/** The phases of the index of a workspace, and the events between them (docs/architecture.md, "A search"). */
export const phases = ["unread", "ready", "keeping", "closing", "closed"] as const
export type Phase = (typeof phases)[number]

export const events = ["read", "begin", "finish", "close", "leave"] as const
export type Event = (typeof events)[number]

/** Each phase with the events that leave it. */
const table: Readonly<Record<Phase, Readonly<Partial<Record<Event, Phase>>>>> = {
  unread: { read: "ready", close: "closing" },
  ready: { begin: "keeping", close: "closing" },
  keeping: { finish: "ready", close: "closing" },
  // Work that still uses the index may end or begin upkeep: neither opens it again.
  closing: { leave: "closed" },
  closed: {}
}

export const next = (phase: Phase, event: Event): Phase => table[phase][event] ?? phase
