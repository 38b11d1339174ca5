// Command check builds the Kubernetes manifests as kustomize does and decodes each into its API type, so that a key in the
// wrong place or of the wrong kind fails here and not in a cluster.
//
//	go run . FOLDER
package main

import (
	"bytes"
	"fmt"
	"os"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

// kinds are what the manifests are made of, by apiVersion and kind.
func kinds() map[string]any {
	return map[string]any{
		"apps/v1 Deployment":                      &apps.Deployment{},
		"v1 Service":                              &core.Service{},
		"v1 ConfigMap":                            &core.ConfigMap{},
		"v1 Secret":                               &core.Secret{},
		"networking.k8s.io/v1 NetworkPolicy":      &networking.NetworkPolicy{},
		"policy/v1 PodDisruptionBudget":           &policy.PodDisruptionBudget{},
		"monitoring.coreos.com/v1 ServiceMonitor": &monitoring.ServiceMonitor{},
	}
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: check FOLDER")
		os.Exit(2)
	}
	if err := check(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func check(folder string) error {
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), folder)
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, r := range built.Resources() {
		text, err := r.AsYAML()
		if err != nil {
			return err
		}
		kind := r.GetApiVersion() + " " + r.GetKind()
		into, known := kinds()[kind]
		if !known {
			return fmt.Errorf("%s %s: no type to decode it into", kind, r.GetName())
		}
		if err := yaml.UnmarshalStrict(text, into); err != nil {
			return fmt.Errorf("%s %s: %w", kind, r.GetName(), err)
		}
		seen[kind] = true
		fmt.Printf("%s %s\n", kind, r.GetName())
	}
	for kind := range kinds() {
		if !seen[kind] {
			return fmt.Errorf("no %s", kind)
		}
	}
	return selects(built)
}

// selects checks that what is selected by labels is there: the pods, and the Service that is scraped.
func selects(built resmap.ResMap) error {
	var d apps.Deployment
	var pdb policy.PodDisruptionBudget
	var np networking.NetworkPolicy
	var services []core.Service
	var monitor monitoring.ServiceMonitor
	for _, r := range built.Resources() {
		text, err := r.AsYAML()
		if err != nil {
			return err
		}
		switch r.GetKind() {
		case "Deployment":
			err = yaml.Unmarshal(text, &d)
		case "PodDisruptionBudget":
			err = yaml.Unmarshal(text, &pdb)
		case "NetworkPolicy":
			err = yaml.Unmarshal(text, &np)
		case "ServiceMonitor":
			err = yaml.Unmarshal(text, &monitor)
		case "Service":
			var s core.Service
			err = yaml.Unmarshal(text, &s)
			services = append(services, s)
		}
		if err != nil {
			return err
		}
	}
	pod := d.Spec.Template.Labels
	scraped := 0
	for name, labels := range map[string]map[string]string{
		"Deployment": d.Spec.Selector.MatchLabels, "PodDisruptionBudget": pdb.Spec.Selector.MatchLabels, "NetworkPolicy": np.Spec.PodSelector.MatchLabels,
	} {
		if !fits(labels, pod) {
			return fmt.Errorf("%s does not select the pods", name)
		}
	}
	for _, s := range services {
		if !fits(s.Spec.Selector, pod) {
			return fmt.Errorf("Service %s does not select the pods", s.Name)
		}
		if fits(monitor.Spec.Selector.MatchLabels, s.Labels) {
			scraped++
		}
	}
	if scraped != 1 {
		return fmt.Errorf("the ServiceMonitor selects %d Services, want 1", scraped)
	}
	return key(d, built)
}

// key checks that the mode of the key file passes: nobody but its user and group reads it, and the group does not write.
func key(d apps.Deployment, built resmap.ResMap) error {
	for _, v := range d.Spec.Template.Spec.Volumes {
		if v.Secret == nil {
			continue
		}
		if v.Secret.DefaultMode == nil || *v.Secret.DefaultMode&0o027 != 0 {
			return fmt.Errorf("volume %s: its mode lets others read the keys, or the group write them", v.Name)
		}
		for _, r := range built.Resources() {
			if r.GetKind() == "Secret" && r.GetName() == v.Secret.SecretName {
				text, err := r.AsYAML()
				if err == nil && !bytes.Contains(text, []byte("keys:")) {
					err = fmt.Errorf("Secret %s has no keys", r.GetName())
				}
				return err
			}
		}
	}
	return fmt.Errorf("no volume with the keys")
}

// fits tells whether a selector picks what has these labels.
func fits(selector, labels map[string]string) bool {
	for k, v := range selector {
		if labels[k] != v {
			return false
		}
	}
	return len(selector) > 0
}
