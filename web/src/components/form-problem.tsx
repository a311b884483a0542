import { signInPath, useSessionEnded } from './sign-in-again.ts'

/** What is wrong with a form as a whole; read out as soon as it appears. */
export function FormProblem({ text }: { text: string | undefined }) {
  const ended = useSessionEnded()
  if (text === undefined) return null
  return (
    <p role="alert" className="rounded-md bg-danger-soft px-3 py-2 text-sm wrap-anywhere text-danger">
      {ended ? <SignIn /> : text}
    </p>
  )
}

/** In another tab, so that the form keeps what was typed. */
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
