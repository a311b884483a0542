import { createContext, useContext, useState } from 'react'
import { classNames } from '../components/class-names.ts'

/** Why the value in this editor was refused. */
export function EditProblem({ className }: { className?: string }) {
  const { problem } = useContext(EditState)
  if (problem === undefined) return null
  return (
    <p role="alert" className={classNames('text-xs whitespace-normal wrap-anywhere text-danger', className)}>
      {problem}
    </p>
  )
}

type EditState = {
  /** Why the service refused the value, and whether it is saved. */
  problem?: string | undefined
  status?: string | undefined
  /** Whether the status is that it could not be saved yet. */
  failed?: boolean
  /** Changes when another tab has changed the value. */
  revision: number
}

/** The state of the value that an open editor shows. */
export const EditState = createContext<EditState>({ revision: 0 })

/**
 * The value in an open editor. If another tab changes the value meanwhile, the editor takes it over in place: it
 * keeps the focus, so that no key is lost.
 */
export function useEdited<T>(value: T): [T, (edited: T) => void] {
  const { revision } = useContext(EditState)
  const [state, setState] = useState({ revision, edited: value })
  const current = state.revision === revision ? state : { revision, edited: value }
  if (current !== state) setState(current)
  return [current.edited, (edited) => setState({ revision, edited })]
}
