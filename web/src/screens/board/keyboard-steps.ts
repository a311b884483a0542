import { KeyboardCode, type KeyboardCoordinateGetter } from '@dnd-kit/core'

/** Left and right move a dragged card to the next column. */
export const toNextColumn: KeyboardCoordinateGetter = (event, { context: { droppableRects, over, collisionRect } }) => {
  const step = event.code === KeyboardCode.Right ? 1 : event.code === KeyboardCode.Left ? -1 : 0
  if (step === 0 || !collisionRect) return undefined
  event.preventDefault()
  const columns = [...droppableRects].sort(([, a], [, b]) => a.left - b.left)
  const middle = collisionRect.left + collisionRect.width / 2
  const current = over
    ? columns.findIndex(([id]) => id === over.id)
    : columns.findIndex(([, rect]) => middle >= rect.left && middle <= rect.right)
  const next = columns[current + step]?.[1]
  return next && { x: next.left + (next.width - collisionRect.width) / 2, y: collisionRect.top }
}
