import type { ComponentChildren } from "preact"
import { useId } from "preact/hooks"

interface SectionProps {
  readonly title: string
  readonly lead?: string
  readonly children: ComponentChildren
}

/** A part of a page with a heading. */
export const Section = ({ children, lead, title }: SectionProps) => {
  const id = useId()
  return (
    <section class="part" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {lead !== undefined && <p class="hint">{lead}</p>}
      {children}
    </section>
  )
}
