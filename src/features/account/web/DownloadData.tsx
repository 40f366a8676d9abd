import { Download } from 'lucide-react';
import { api } from '#web/api.ts';
import { explain } from '#web/explain.ts';
import { saveFile } from '#web/save-file.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { showToast } from '#web/copy.ts';
import { CodeQuestion } from '#features/auth/web/CodeQuestion.tsx';
import { useFreshCode } from '#features/auth/web/useFreshCode.ts';
import { Button } from '#ui/Button.tsx';
import { Failure } from '#wire/client.ts';
import { t } from '#features/account/messages.ts';

/** Downloads all data of the user as a file. */
export function DownloadData({ email }: { email: string }) {
  const codeRequest = useFreshCode(email, 'export');
  const download = useSubmit({
    mutationFn: (code: string) => api.account.export({ code }),
    onSuccess: (data) => {
      const day = data.made_at.slice(0, 10);
      saveFile(
        `my-data-${day}.json`,
        new Blob([JSON.stringify(data, null, 2)], { type: 'application/json' }),
      );
      close();
      showToast({ title: t('yourDataIsDownloaded'), text: t('yourDataIsDownloadedText') });
    },
  });
  const close = () => {
    codeRequest.forget();
    download.reset();
  };
  return (
    <section aria-labelledby="download-data">
      <h3 id="download-data" className="text-lg font-bold">
        {t('copyOfYourData')}
      </h3>
      <p className="mt-1 text-sm text-muted">{t('copyOfYourDataText')}</p>
      <Button variant="secondary" className="mt-3" busy={codeRequest.isPending} onClick={codeRequest.request}>
        <Download aria-hidden />
        {t('downloadMyData')}
      </Button>
      {codeRequest.sent && (
        <CodeQuestion
          key={codeRequest.sent.sentAt}
          {...codeRequest.sent}
          purpose="export"
          title={t('downloadMyData')}
          description={t('downloadCodeText')}
          confirmLabel={t('download')}
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
  failure instanceof Failure && failure.status === 429 ? t('copyOncePerDay') : explain(failure);
