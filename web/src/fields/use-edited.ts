import { useContext, useState } from 'react'
import { EditState } from './edit-state.ts'

/**
 * What an open editor has of a value. If another tab changes the value meanwhile, the editor takes it over in place: it
 * keeps the focus, so that no key is lost.
 */
export function useEdited<T>(value: T): [T, (edited: T) => void] {
  const { revision } = useContext(EditState)
  const [state, setState] = useState({ revision, edited: value })
  const current = state.revision === revision ? state : { revision, edited: value }
  if (current !== state) setState(current)
  return [current.edited, (edited) => setState({ revision, edited })]
}
