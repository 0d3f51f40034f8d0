import { locale } from "../ChosenLanguage.ts"
import { longDate } from "../Dates.ts"
import { sizeOf } from "../imports/sizeOf.ts"
import { Failure } from "../ui/Failure.tsx"
import { Meter } from "../ui/Meter.tsx"
import { Section } from "../ui/Section.tsx"
import { DataTable } from "../ui/tables/DataTable.tsx"
import { wholeList } from "../ui/tables/usePages.ts"
import { useReading } from "../ui/useReading.ts"
import { Facts } from "./Facts.tsx"
import { OperatorActions } from "./OperatorActions.tsx"
import { words } from "../ui/AdministrationMessages.ts"
import { texts } from "./ServerMessages.ts"
import type { ServerProps } from "./ServerProps.ts"

const sources: Partial<Record<string, string>> = texts.system.sources

/** Memory in the unit of SEARCH_MEMORY, so that the limit has the number that was set. */
const megabytesOf = (bytes: number): string =>
  new Intl.NumberFormat(locale, { style: "unit", unit: "megabyte", maximumFractionDigits: 1 }).format(bytes / 1024 ** 2)

/** The nodes, the settings, the version, the search indexes, and what operators have done. */
export const SystemPage = ({ admin }: ServerProps) => {
  const { failure, value } = useReading(async () => {
    const [status, nodes, settings] = await Promise.all([
      admin.adminGetServer(),
      admin.adminListNodes(),
      admin.adminListSettings()
    ])
    return { status, nodes: nodes.data, settings: settings.data }
  }, [admin])
  if (value === undefined) return <Failure failure={failure} />
  const { nodes, settings, status } = value
  const { search } = status
  return (
    <>
      <Section title={texts.version}>
        <Facts
          facts={[
            ["Sheaf", status.version],
            ["PostgreSQL", status.postgres_version],
            [words.address, status.public_url]
          ]}
        />
        {status.release_notes !== null && (
          <details>
            <summary>{texts.system.releaseNotes}</summary>
            <pre class="code" tabIndex={0} role="region" aria-label={texts.system.releaseNotes}>
              {status.release_notes}
            </pre>
          </details>
        )}
      </Section>
      <Section title={texts.overview.nodes}>
        <DataTable
          label={texts.overview.nodes}
          empty={texts.system.noNodes}
          list={wholeList(nodes)}
          keyOf={({ id }) => id}
          columns={[
            { label: texts.system.host, of: ({ host }) => host },
            { label: texts.system.listens, isLong: true, of: ({ address }) => address },
            { label: texts.version, of: ({ version }) => version },
            { label: texts.system.workers, of: ({ workers }) => workers.toLocaleString(locale) },
            { label: texts.system.memory, of: ({ memory_bytes }) => sizeOf(memory_bytes) },
            { label: texts.system.started, of: ({ started_at }) => longDate(started_at) }
          ]}
        />
      </Section>
      <Section title={texts.system.search} lead={texts.system.searchLead}>
        <div class="meters">
          <Meter
            label={texts.system.memory}
            used={search.memory_bytes}
            limit={search.memory_limit_bytes}
            text={words.of(megabytesOf(search.memory_bytes), megabytesOf(search.memory_limit_bytes))}
          />
        </div>
        <Facts
          facts={[
            [texts.system.indexes, search.indexes.toLocaleString(locale)],
            [words.files, texts.overview.filesOf(search.files.toLocaleString(locale), sizeOf(search.file_bytes))]
          ]}
        />
      </Section>
      <Section title={texts.system.settings} lead={texts.system.settingsLead}>
        <DataTable
          label={texts.system.settings}
          empty={texts.system.noSettings}
          list={wholeList(settings)}
          keyOf={({ name }) => name}
          columns={[
            { label: words.name, isLong: true, of: ({ name }) => name },
            { label: texts.system.value, isLong: true, of: ({ value }) => value ?? texts.system.unset },
            { label: texts.system.source, isLong: true, of: ({ source }) => sources[source] ?? source }
          ]}
        />
      </Section>
      <OperatorActions admin={admin} />
    </>
  )
}
