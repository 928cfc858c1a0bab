import { useEffect } from "react";
import { lookForServers, refreshProviders, useProviders } from "@/workbench/providers";
import { AddProvider } from "./AddProvider";
import { Fault } from "./Fault";
import { FoundServers } from "./FoundServers";
import { ProviderCard } from "./ProviderCard";

/** Every model provider, and the model servers of this machine. */
export function ProviderSettings() {
  const { status, problem } = useProviders();
  useEffect(() => {
    refreshProviders();
    lookForServers();
  }, []);
  if (problem) return <Fault fault={problem} />;
  if (!status) return null;
  const kinds = [...new Set(status.providers.map((one) => one.settings.kind))].filter((kind) => kind !== "offline");
  return (
    <>
      {status.providers.map((provider) => (
        <ProviderCard key={provider.name} provider={provider} place={status.keyPlace} kinds={kinds} />
      ))}
      <FoundServers />
      <AddProvider />
      <p className="text-fg-3 text-xs">{kept(status.keyPlace)} Flows, runs and logs never hold a key.</p>
    </>
  );
}

function kept({ source, file, passphrase }: { source?: string; file?: string; passphrase: boolean }): string {
  if (source === "keychain") return "Keys are kept in the system's keychain.";
  if (source !== "file") return "Keys can't be kept here: they last for this session.";
  const lock = passphrase
    ? "locked with the passphrase in PLAIT_KEYS_PASSPHRASE."
    : "opened by a key file beside it that only you can read. A passphrase in PLAIT_KEYS_PASSPHRASE locks it better.";
  return `This system has no keychain. Keys are kept encrypted in ${file}, ${lock}`;
}
