import { locale } from "../../ChosenLanguage.ts"
import { useEffect, useRef, useState } from "preact/hooks"
import type { Schemas } from "../../../client/SheafClient.ts"
import { texts as common } from "../../Messages.ts"
import { Button } from "../../ui/Button.tsx"
import { Failure } from "../../ui/Failure.tsx"
import { notify } from "../../ui/Notices.tsx"
import { saveFile } from "../../ui/saveFile.ts"
import { Section } from "../../ui/Section.tsx"
import { useAction } from "../../ui/useAction.ts"
import type { WorkspaceStore } from "../../workspace/WorkspaceStore.ts"
import { auditFileOf, type AuditFormat } from "./AuditFile.ts"
import { texts } from "../SettingsMessages.ts"

/** Maximum number of entries of a file, which is made in memory. */
const maxSaved = 50_000
const pageSize = 100

interface AuditSaveProps {
  readonly store: WorkspaceStore
  /** In the filter language of the API. */
  readonly filter: string | undefined
}

/** Saves the entries that match a filter as a file. */
export const AuditSave = ({ filter, store }: AuditSaveProps) => {
  const [count, setCount] = useState<number>()
  const { failure, run } = useAction()
  const reading = useRef<AbortController | undefined>(undefined)
  useEffect(() => () => reading.current?.abort(), [])
  const save = async (format: AuditFormat) => {
    if (count !== undefined) return
    const { signal } = (reading.current = new AbortController())
    const entries: Array<Schemas["AuditEntry"]> = []
    setCount(0)
    try {
      const input = { limit: pageSize, ...(filter === undefined ? {} : { filter }) }
      for await (const entry of store.client.listAuditEntries(input, { signal })) {
        if (entries.length === maxSaved) {
          notify(texts.audit.limited(maxSaved.toLocaleString(locale)))
          break
        }
        entries.push(entry)
        if (entries.length % pageSize === 0) setCount(entries.length)
      }
      saveFile(auditFileOf(entries, format), `audit-log.${format}`)
      notify(texts.audit.saved(entries.length))
    } catch (error) {
      // The user has ended it.
      if (!signal.aborted) throw error
    } finally {
      setCount(undefined)
    }
  }
  return (
    <Section title={texts.audit.save} lead={texts.audit.saveLead}>
      <Failure failure={failure} />
      <p class="actions start">
        {(["csv", "json"] as const).map((format) => (
          <Button key={format} onClick={() => void run(() => save(format))}>
            {format.toUpperCase()}
          </Button>
        ))}
        {count !== undefined && <Button onClick={() => reading.current?.abort()}>{common.cancel}</Button>}
      </p>
      <p role="status" class="hint">
        {count !== undefined && texts.audit.reading(count)}
      </p>
    </Section>
  )
}
