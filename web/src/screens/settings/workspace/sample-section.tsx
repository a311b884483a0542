import { useMutation, useQueryClient } from '@tanstack/react-query'
import { fillWithSample } from '../../../api/managed-workspace.ts'
import { useSlug } from '../../../api/workspace.ts'
import { Button } from '../../../components/button.tsx'
import { showToast } from '../../../components/toast-store.ts'
import { Section } from '../page.tsx'

/** Offered while the workspace is empty. */
export function SampleSection() {
  const slug = useSlug()
  const queries = useQueryClient()
  const filling = useMutation({
    mutationFn: () => fillWithSample(slug),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: [slug] })
      showToast({ message: 'The workspace has sample records now.' })
    },
    onError: ({ message }) => showToast({ tone: 'danger', message }),
  })
  return (
    <Section
      title="Sample records"
      text="Invented companies, people, opportunities, tasks and notes to try Kith with. Available while the workspace is empty."
      extra={
        <Button disabled={filling.isPending} onClick={() => filling.mutate()}>
          {filling.isPending ? 'Filling…' : 'Fill with sample records'}
        </Button>
      }
    />
  )
}
