import { locale } from "../ChosenLanguage.ts"
import { useEffect, useState } from "preact/hooks"
import type { Schemas } from "../../client/SheafClient.ts"
import { longDate } from "../Dates.ts"
import { sizeOf } from "../imports/sizeOf.ts"
import { DataTable } from "../ui/tables/DataTable.tsx"
import { Failure } from "../ui/Failure.tsx"
import { Meter } from "../ui/Meter.tsx"
import { Section } from "../ui/Section.tsx"
import { useAction } from "../ui/useAction.ts"
import { wholeList } from "../ui/tables/usePages.ts"
import { texts as main } from "../Messages.ts"
import { words } from "../ui/AdministrationMessages.ts"
import { texts } from "./SettingsMessages.ts"
import type { SettingsProps } from "./SettingsProps.ts"

type Usage = Schemas["Usage"]
type Limit = keyof typeof texts.usage.limitNames

/** What has a limit. */
const meters = {
  ...texts.usage.meters,
  notes: words.notes,
  kept: words.kept,
  notebooks: main.notebooks,
  tags: main.tags,
  attachments: words.files,
  comments: main.note.comments,
  reminders: main.note.reminders
}

const count = (value: number): string => value.toLocaleString(locale)

const limits = Object.keys(texts.usage.limitNames) as ReadonlyArray<Limit>
const resources = ["notebooks", "tags", "attachments", "templates", "comments", "reminders", "shares"] as const

/** A limit: the used part, the whole, and the form of both. */
type Quota = readonly [name: keyof typeof meters, used: number, limit: number, write: typeof count]

const quotasOf = ({ counts, kept_bytes, limits, notes, storage_bytes, text_bytes }: Usage): ReadonlyArray<Quota> => [
  ["notes", notes, limits.notes, count],
  ["storage", storage_bytes + text_bytes, limits.storage_bytes, sizeOf],
  ["kept", kept_bytes, limits.kept_bytes, sizeOf],
  ...resources.map((name) => [name, counts[name], limits[name], count] as const)
]

const wordsOf = ([, used, limit, write]: Quota): string => {
  if (limit === 0) return texts.usage.unlimited(write(used))
  const text = words.of(write(used), write(limit))
  return used >= limit ? `${text}: ${texts.usage.full}` : text
}

const limitOf = (usage: Usage, name: Limit): string => {
  const value = usage.limits[name]
  if (value === 0) return texts.usage.noLimit
  return name === "attachment_bytes" ? sizeOf(value) : count(value)
}

/** How much of its plan the workspace uses. */
export const UsagePage = ({ store }: SettingsProps) => {
  const [usage, setUsage] = useState<Usage>()
  const { failure, run } = useAction()
  useEffect(() => void run(async () => setUsage(await store.client.getUsage())), [store.connections.value])
  if (usage === undefined) return <Failure failure={failure} />
  const most = Math.max(...usage.daily.map(({ api_requests }) => api_requests))
  return (
    <>
      <Section title={words.stored} lead={texts.usage.lead(words.plans[usage.plan], longDate(usage.period_end))}>
        <div class="meters">
          {quotasOf(usage).map((quota) => (
            <Meter key={quota[0]} label={meters[quota[0]]} used={quota[1]} limit={quota[2]} text={wordsOf(quota)} />
          ))}
        </div>
      </Section>
      <Section title={texts.usage.limits}>
        <DataTable
          label={texts.usage.limits}
          empty=""
          list={wholeList(limits)}
          keyOf={(name) => name}
          columns={[
            { label: texts.usage.limit, of: (name) => texts.usage.limitNames[name] },
            { label: texts.usage.value, of: (name) => limitOf(usage, name) }
          ]}
        />
      </Section>
      <Section title={texts.usage.requests} lead={texts.usage.requestsLead(count(usage.api_requests))}>
        <DataTable
          label={texts.usage.requests}
          empty={texts.usage.noDays}
          list={wholeList(usage.daily.toReversed())}
          keyOf={({ date }) => date}
          columns={[
            { label: texts.usage.day, of: ({ date }) => date },
            {
              label: texts.usage.requests,
              of: ({ api_requests }) => (
                <span class="amount">
                  <span>{count(api_requests)}</span>
                  <span class="amount-bar" style={{ width: `${most === 0 ? 0 : (60 * api_requests) / most}%` }} />
                </span>
              )
            }
          ]}
        />
      </Section>
    </>
  )
}
