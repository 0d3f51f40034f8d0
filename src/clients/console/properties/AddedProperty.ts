import { signal } from "@preact/signals"
import type { NoteDraft } from "../drafts/NoteDraft.ts"

/** The note that gets a property whose name is being typed. */
export const addingTo = signal<NoteDraft | undefined>(undefined)
