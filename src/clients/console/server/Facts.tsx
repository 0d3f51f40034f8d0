import type { ComponentChildren } from "preact"

interface FactsProps {
  readonly facts: ReadonlyArray<readonly [label: string, value: ComponentChildren]>
}

/** Values with their names. */
export const Facts = ({ facts }: FactsProps) => (
  <dl class="facts">
    {facts.map(([label, value]) => (
      <div key={label}>
        <dt>{label}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)
