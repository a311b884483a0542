import {
  cloneElement,
  createContext,
  type FormEvent,
  type ReactElement,
  type ReactNode,
  useContext,
  useEffect,
  useId,
  useState,
} from 'react'
import { type Problems, problemsOf } from '../api/problems.ts'
import { Button } from '../components/button.tsx'
import { Dialog, DialogActions } from '../components/dialog.tsx'
import { signInPath, useSessionEnded } from '../components/sign-in-again.ts'
import { wrongWith } from './invalid.ts'

type FrameProps = {
  /** The save that the form begins, from `useSave`. Absent if it begins something that cannot fail. */
  saving?: { error: Error | null; isPending: boolean }
  /** `typed` returns the text of a control by its name. */
  onSubmit(typed: (name: string) => string): void
  /** Paths whose problems are shown in the form, other than those of its fields. */
  paths?: readonly string[]
  className?: string
  children: ReactNode
}

type FormProps = FrameProps & {
  /** The label of the button that sends the form, and its label meanwhile. Without one, the form cannot be changed. */
  action: string | false
  busy?: string
  look?: 'primary' | 'danger'
  /** Whether the form cannot be sent yet. */
  disabled?: boolean
  /** The button takes the whole line. */
  wide?: boolean
  /** In a dialog, which has a second button. */
  onCancel?(): void
  /** Shown in the line of the buttons of a dialog, and otherwise below the button. */
  extra?: ReactNode
}

/** A dialog with a form. */
export function FormDialog(
  props: Omit<FormProps, 'onCancel'> & { title: string; description?: string; closesAtOnce?: boolean; onClose(): void },
) {
  const { title, description, closesAtOnce, onClose, ...form } = props
  return (
    <Dialog open onOpenChange={onClose} title={title} description={description} closesAtOnce={closesAtOnce}>
      <Form {...form} onCancel={onClose} />
    </Dialog>
  )
}

/** Fields, the problems that belong to none of them, and the button that sends them. */
export function Form({ action, busy, look, disabled, wide, onCancel, extra, children, ...frame }: FormProps) {
  const isBusy = frame.saving?.isPending ?? false
  const submit = action && (
    <Button type="submit" look={look ?? 'primary'} disabled={disabled || isBusy}>
      {isBusy ? (busy ?? action) : action}
    </Button>
  )
  return (
    <FormFrame {...frame}>
      {children}
      <GeneralProblem />
      {onCancel && (
        <DialogActions>
          {extra}
          <Button onClick={onCancel}>Cancel</Button>
          {submit}
        </DialogActions>
      )}
      {!onCancel && (wide ? submit : submit && <div>{submit}</div>)}
      {!onCancel && extra}
    </FormFrame>
  )
}

/** The problems of the last attempt, and the paths that fields of the form show. */
const FormContext = createContext<
  | {
      problems: Problems
      paths: Set<string>
      /** What the browser finds wrong, by the name of the control. */
      invalid: ReadonlyMap<string, Control>
    }
  | undefined
>(undefined)

/** A form with a layout of its own. It places `GeneralProblem` and the buttons itself. */
export function FormFrame({ saving, onSubmit, paths, className = 'grid grid-cols-1 gap-4', children }: FrameProps) {
  const [ofFields] = useState(() => new Set<string>())
  const [invalid, setInvalid] = useState<ReadonlyMap<string, Control>>(new Map())
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const wrong = invalidIn(event.currentTarget).filter(({ name }) => ofFields.has(name))
    setInvalid(new Map(wrong.map((control) => [control.name, control])))
    if (wrong[0]) return wrong[0].focus()
    // A control that no field of the form shows.
    if (!event.currentTarget.reportValidity()) return
    const typed = new FormData(event.currentTarget)
    onSubmit((name) => String(typed.get(name) ?? ''))
  }
  const problems = problemsOf(saving?.error ?? null, [...ofFields, ...(paths ?? [])])
  return (
    <FormContext value={{ problems, paths: ofFields, invalid }}>
      {/* The problems are told by the fields, which the browser would tell in bubbles. */}
      <form noValidate onSubmit={submit} className={className}>
        {children}
      </form>
    </FormContext>
  )
}

type Control = HTMLInputElement | HTMLTextAreaElement

function invalidIn({ elements }: HTMLFormElement): Control[] {
  return [...elements].filter(
    (element): element is Control =>
      (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) && !element.validity.valid,
  )
}

/** A labelled control of a form, with its hint and its problems. */
export function FormField(props: {
  label: string
  /** The name of the control, which is also the path of its problems. */
  name?: string
  /** Said below the control while there is no problem. */
  hint?: string
  /** The problems of a control that is not saved with a form. */
  errors?: readonly string[] | undefined
  children: ReactElement<{ id?: string; name?: string; 'aria-invalid'?: boolean; 'aria-describedby'?: string }>
}) {
  const { label, name, hint, errors, children } = props
  const id = useId()
  const wrong = wrongWith(label, useContext(FormContext)?.invalid.get(name ?? ''))
  const found = useProblemsAt(name) ?? errors
  const problems = wrong === undefined ? found : [wrong]
  const invalid = problems !== undefined && problems.length > 0
  const told = invalid ? problems.join(' ') : hint
  return (
    <div className="grid grid-cols-1 gap-1.5">
      <label htmlFor={id} className="text-xs font-medium text-quiet">
        {label}
      </label>
      {cloneElement(children, {
        id,
        ...(name !== undefined && { name }),
        'aria-invalid': invalid,
        'aria-describedby': told ? `${id}-told` : undefined,
      })}
      {told && (
        <p id={`${id}-told`} className={invalid ? 'text-xs text-danger' : 'text-xs text-faint'}>
          {told}
        </p>
      )}
    </div>
  )
}

/** The problems of the form at a path. The form shows them nowhere else. */
function useProblemsAt(path: string | undefined): readonly string[] | undefined {
  const form = useContext(FormContext)
  const paths = form?.paths
  useEffect(() => {
    if (path === undefined) return
    paths?.add(path)
    return () => void paths?.delete(path)
  }, [paths, path])
  return path === undefined ? undefined : form?.problems.at(path)
}

/** The problems of a part of the form that is no single control. */
export function ProblemsAt({ path }: { path: string }) {
  const problems = useProblemsAt(path)
  return problems ? (
    <p role="alert" className="mt-1.5 text-xs text-danger">
      {problems.join(' ')}
    </p>
  ) : null
}

/** The problems of the form that no field shows. */
export function GeneralProblem() {
  return <FormProblem text={useContext(FormContext)?.problems.general} />
}

/** The problem of a form or an action as a whole; read out as soon as it appears. */
export function FormProblem({ text, error = null }: { text?: string | undefined; error?: Error | null }) {
  const ended = useSessionEnded()
  const told = text ?? problemsOf(error, []).general
  if (told === undefined) return null
  return (
    <p role="alert" className="rounded-md bg-danger-soft px-3 py-2 text-sm wrap-anywhere text-danger">
      {ended ? <SignIn /> : told}
    </p>
  )
}

/** In another tab, so that the form keeps its text. */
function SignIn() {
  return (
    <>
      Your session has ended.{' '}
      <a href={signInPath()} target="_blank" rel="noreferrer" className="font-medium underline">
        Sign in in another tab
      </a>
      , then try again here.
    </>
  )
}
