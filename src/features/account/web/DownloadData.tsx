import { Download } from 'lucide-react';
import { api } from '#web/api.ts';
import { explain } from '#web/explain.ts';
import { saveFile } from '#web/save-file.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { notify } from '#web/copy.ts';
import { CodeQuestion } from '#features/auth/web/CodeQuestion.tsx';
import { useFreshCode } from '#features/auth/web/useFreshCode.ts';
import { Button } from '#ui/Button.tsx';
import { Failure } from '#wire/client.ts';

/** Downloads all data of the user as a file. */
export function DownloadData({ email }: { email: string }) {
  const codeRequest = useFreshCode(email);
  const download = useSubmit({
    mutationFn: (code: string) => api.account.export({ code }),
    onSuccess: (data) => {
      const day = data.made_at.slice(0, 10);
      saveFile(
        `my-data-${day}.json`,
        new Blob([JSON.stringify(data, null, 2)], { type: 'application/json' }),
      );
      close();
      notify({ title: 'Your data is downloaded', text: 'It is a file that you can read with any editor.' });
    },
  });
  const close = () => {
    codeRequest.forget();
    download.reset();
  };
  return (
    <section aria-labelledby="download-data">
      <h3 id="download-data" className="text-lg font-bold">
        A copy of your data
      </h3>
      <p className="mt-1 text-sm text-muted">
        Your profile, your clubs and events, what you wrote, what you were told and your settings, as one
        file. You can have it once a day.
      </p>
      <Button variant="secondary" className="mt-3" busy={codeRequest.isPending} onClick={codeRequest.request}>
        <Download aria-hidden />
        Download my data
      </Button>
      {codeRequest.sent && (
        <CodeQuestion
          key={codeRequest.sent.sentAt}
          {...codeRequest.sent}
          title="Download my data"
          description="To confirm it's you, we emailed you a code. Enter it below."
          confirmLabel="Download"
          busy={download.isPending}
          error={download.error ? errorText(download.error) : undefined}
          onSent={(...sent) => {
            download.reset();
            codeRequest.remember(...sent);
          }}
          onConfirm={(code) => download.mutate(code)}
          onClose={close}
        />
      )}
    </section>
  );
}

const errorText = (failure: Error): string =>
  failure instanceof Failure && failure.status === 429
    ? 'You can have a copy once a day. Come back tomorrow.'
    : explain(failure);
