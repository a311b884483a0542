import { Button } from '../../components/button.tsx'

/** Says that a form begins with what was typed earlier. */
export function OldDraft({ onStartOver }: { onStartOver(): void }) {
  return (
    <p role="status" className="mt-1 flex flex-wrap items-center gap-x-2 text-sm text-quiet">
      This is your draft, which is not saved yet.
      <Button size="small" onClick={onStartOver}>
        Start over
      </Button>
    </p>
  )
}
