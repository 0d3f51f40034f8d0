import { useEffect, useId, useState } from "preact/hooks"
import type { Schemas, SheafClient } from "../../client/SheafClient.ts"
import { texts } from "../Messages.ts"
import { Button } from "../ui/Button.tsx"
import { Failure } from "../ui/Failure.tsx"
import { useAction } from "../ui/useAction.ts"
import { undoTexts } from "./UndoMessages.ts"

type Outcome = Schemas["RevertedRecord"]

interface OutcomeListProps {
  readonly client: SheafClient
  readonly revert: Schemas["Revert"]
  readonly outcome: Outcome["outcome"]
}

/** Names of fields. Others come from other types of records. */
const fieldNames: Partial<Record<string, string>> = undoTexts.fields

const reasonOf = ({ members, reason }: Outcome): string | undefined =>
  reason === null
    ? undefined
    : undoTexts.because(undoTexts.reasons[reason], [...new Set(members.flatMap((member) => fieldNames[member] ?? []))])

/** The records of a revert with one outcome, each with its reason. */
export const OutcomeList = ({ client, outcome, revert }: OutcomeListProps) => {
  const id = useId()
  const [records, setRecords] = useState<ReadonlyArray<Outcome>>([])
  const [cursor, setCursor] = useState<string | null>(null)
  const { failure, isBusy, run } = useAction()
  const read = (from: string | null) =>
    run(async () => {
      const at = from === null ? {} : { cursor: from }
      const page = await client.listRevertedRecords({ id: revert.id, filter: `outcome = ${outcome}`, limit: 25, ...at })
      setRecords((known) => (from === null ? page.data : [...known, ...page.data]))
      setCursor(page.next_cursor)
    })
  useEffect(() => void read(null), [revert.id])
  return (
    <section class="activity" aria-labelledby={id}>
      <h3 id={id}>{undoTexts.outcomes[outcome](revert[outcome])}</h3>
      <ul class="rows">
        {records.map((record) => (
          <li key={record.ordinal}>
            <span>{record.title ?? undoTexts.types[record.type]}</span>
            {record.title !== null && <span class="hint">{undoTexts.types[record.type]}</span>}
            {record.reason !== null && <span class="hint">{reasonOf(record)}</span>}
          </li>
        ))}
      </ul>
      <Failure failure={failure} />
      {(cursor !== null || failure !== undefined) && (
        <Button isDisabled={isBusy} onClick={() => void read(cursor)}>
          {failure === undefined ? undoTexts.more : texts.retry}
        </Button>
      )}
    </section>
  )
}
