interface MeterProps {
  readonly label: string
  readonly used: number
  /** 0 is no limit. */
  readonly limit: number
  /** The same in words, such as "3 of 10". */
  readonly text: string
}

/** The share of a limit from which on a meter warns. */
const near = 0.9

/** How much of a limit is used, as a bar and in words. */
export const Meter = ({ label, limit, text, used }: MeterProps) => {
  const share = limit === 0 ? 0 : Math.min(1, used / limit)
  const state = share >= 1 ? "full" : share >= near ? "near" : ""
  return (
    <div class={`meter ${state}`}>
      <span>{label}</span>
      <span class="hint">{text}</span>
      {limit > 0 && (
        <div
          role="meter"
          aria-label={label}
          aria-valuemin={0}
          aria-valuemax={limit}
          aria-valuenow={Math.min(used, limit)}
          aria-valuetext={text}
        >
          <div style={{ width: `${share * 100}%` }} />
        </div>
      )}
    </div>
  )
}
