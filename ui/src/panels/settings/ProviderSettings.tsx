import { useEffect } from "react";
import { ErrorMessage } from "@/design/text/ErrorMessage";
import { useProviders, useWorkspace } from "@/workspace/context";
import { AddProvider } from "./AddProvider";
import { FoundServers } from "./FoundServers";
import { ProviderCard } from "./ProviderCard";
import { TEXTS } from "./texts";

/** Every model provider, and the model servers of this machine. */
export function ProviderSettings() {
  const { providers } = useWorkspace();
  const { status, problem } = useProviders((state) => state);
  useEffect(() => {
    void providers.refresh();
    void providers.findServers();
    void providers.fetchPresets();
  }, [providers]);
  if (problem) return <ErrorMessage className="mt-1.5 text-xs" error={problem} />;
  if (!status) return null;
  const kinds = [...new Set(status.providers.map((one) => one.settings.kind))].filter((kind) => kind !== "offline");
  return (
    <>
      {status.providers.map((provider) => (
        <ProviderCard key={provider.name} provider={provider} place={status.keyPlace} kinds={kinds} />
      ))}
      <FoundServers />
      <AddProvider />
      <p className="text-fg-3 text-xs">{TEXTS.keysNeverLeave(keyStorageNote(status.keyPlace))}</p>
    </>
  );
}

function keyStorageNote({ source, file, passphrase }: { source?: string; file?: string; passphrase: boolean }): string {
  if (source === "keychain") return "API keys are stored in the system keychain.";
  if (source !== "file") return "API keys can’t be stored on this system. They last for this session.";
  const lock = passphrase
    ? "protected by the passphrase in PLAIT_KEYS_PASSPHRASE."
    : "protected by a key file next to it that only you can read. Set PLAIT_KEYS_PASSPHRASE for stronger protection.";
  return `This system has no keychain. API keys are stored encrypted in ${file}, ${lock}`;
}
