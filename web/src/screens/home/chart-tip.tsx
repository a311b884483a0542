import { floatLook } from '../../components/popover.tsx'

type Props<Point> = {
  /** What is said of a point, line by line. */
  lines(point: Point): string[]
  /** Given by the chart. */
  active?: boolean
  payload?: readonly { payload?: Point }[]
}

/** Says exactly what the mouse is over. */
export function ChartTip<Point>({ active, payload, lines }: Props<Point>) {
  const point = payload?.[0]?.payload
  if (!active || !point) return null
  const [first, ...rest] = lines(point)
  return (
    <div className={`${floatLook} px-3 py-2 text-xs`}>
      <p className="font-medium">{first}</p>
      {rest.map((line) => (
        <p key={line} className="mt-0.5 text-quiet">
          {line}
        </p>
      ))}
    </div>
  )
}
