/** What is wrong with a form as a whole; read out as soon as it appears. */
export function FormProblem({ text }: { text: string | undefined }) {
  if (text === undefined) return null
  return (
    <p role="alert" className="rounded-md bg-danger-soft px-3 py-2 text-sm wrap-anywhere text-danger">
      {text}
    </p>
  )
}
