import { classNames } from '../../components/class-names.ts'
import { formatNumber } from '../../format/numbers.ts'

type ProblemRow = { row: number; cells: readonly string[]; problems: ReadonlyMap<number, readonly string[]> }

type Props = {
  label: string
  /** Which cells of a row are shown, and their headings. */
  columns: readonly { index: number; label: string }[]
  rows: readonly ProblemRow[]
}

/** Rows of a file, with the problems next to their cells. */
export function ProblemTable({ label, columns, rows }: Props) {
  const hasOthers = rows.some(({ problems }) => otherProblems(problems, columns).length > 0)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
    <section aria-label={label} tabIndex={0} className="mt-2 overflow-x-auto rounded-md border border-line">
      <table className="w-full border-collapse text-xs">
        <thead>
          <tr className="border-b border-line bg-sunk text-left text-quiet">
            <th scope="col" className="w-px px-2 py-1.5 font-medium">
              Row
            </th>
            {columns.map((column) => (
              <th key={column.index} scope="col" className="px-2 py-1.5 font-medium whitespace-nowrap">
                {column.label}
              </th>
            ))}
            {hasOthers && (
              <th scope="col" className="px-2 py-1.5 font-medium">
                Problem
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ row, cells, problems }) => (
            <tr key={row} className="border-b border-line align-top last:border-0">
              <th scope="row" data-numeric className="px-2 py-1.5 text-left font-normal text-faint">
                {formatNumber(row)}
              </th>
              {columns.map(({ index }) => (
                <Cell key={index} text={cells[index] ?? ''} problems={problems.get(index)} />
              ))}
              {hasOthers && (
                <td className="min-w-40 px-2 py-1.5 text-danger">{otherProblems(problems, columns).join(' ')}</td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Cell({ text, problems }: { text: string; problems: readonly string[] | undefined }) {
  return (
    <td
      className={classNames('max-w-70 px-2 py-1.5 max-sm:max-w-44', problems ? 'min-w-40 bg-danger-soft' : 'min-w-20')}
    >
      <span dir="auto" className="line-clamp-2 wrap-break-word" title={text}>
        {text === '' && problems ? <span className="text-faint">Empty</span> : text}
      </span>
      {problems && <span className="mt-0.5 block text-danger">{problems.join(' ')}</span>}
    </td>
  )
}

/** Problems of the whole row, or of a cell that is not shown. */
function otherProblems(problems: ProblemRow['problems'], columns: Props['columns']): string[] {
  return [...problems].flatMap(([at, messages]) => (columns.some(({ index }) => index === at) ? [] : messages))
}
