import { KeyboardCode, type KeyboardCoordinateGetter } from '@dnd-kit/core'
import { addDays } from './days.ts'

const steps: Readonly<Record<string, number>> = {
  [KeyboardCode.Right]: 1,
  [KeyboardCode.Left]: -1,
  [KeyboardCode.Down]: 7,
  [KeyboardCode.Up]: -7,
}

/** Arrow keys move a dragged record by days and weeks. */
export const toNextDay: KeyboardCoordinateGetter = (event, { context: { droppableRects, over, collisionRect } }) => {
  const step = steps[event.code]
  if (step === undefined || !over || !collisionRect) return undefined
  event.preventDefault()
  const next = droppableRects.get(addDays(String(over.id), step))
  return next && { x: next.left + (next.width - collisionRect.width) / 2, y: next.top + 4 }
}
