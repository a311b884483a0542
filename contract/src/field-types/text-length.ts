import { lengthOf } from '../fold.ts'

/** Whether a text has more code points than allowed. Only texts near the limit are counted through. */
export function isLongerThan(text: string, max: number): boolean {
  return text.length > max && (text.length > 2 * max || lengthOf(text) > max)
}
