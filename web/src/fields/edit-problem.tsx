import { useContext } from 'react'
import { classNames } from '../components/class-names.ts'
import { EditState } from './edit-state.ts'

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
