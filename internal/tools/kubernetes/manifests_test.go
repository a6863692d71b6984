// Package kubernetes holds the manifests of examples/deploy to the types of
// Kubernetes itself. It is a module of its own, so that adsync needs none of them.
package kubernetes

import (
	"bytes"
	"errors"
	"io"
	"os"
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
)

// objects decodes every document strictly: what a type does not know is an error.
func objects(t *testing.T) []runtime.Object {
	t.Helper()
	text, err := os.ReadFile("../../../examples/deploy/kubernetes/adsync.yaml")
	if err != nil {
		t.Fatal(err)
	}
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme,
		appsv1.AddToScheme, networkingv1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	strict := json.NewSerializerWithOptions(json.DefaultMetaFactory,
		scheme, scheme, json.SerializerOptions{Yaml: true, Strict: true})
	reader := utilyaml.NewDocumentDecoder(io.NopCloser(bytes.NewReader(text)))
	var all []runtime.Object
	for {
		document := make([]byte, len(text))
		n, err := reader.Read(document)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		object, _, err := strict.Decode(document[:n], nil, nil)
		if err != nil {
			t.Fatalf("%v:\n%s", err, document[:n])
		}
		all = append(all, object)
	}
}

func TestManifestsAreStrict(t *testing.T) {
	all := objects(t)
	if len(all) < 8 {
		t.Fatalf("%d objects; want namespace, secret, config, account, volume, deployment, service and network",
			len(all))
	}
	named := map[string]bool{}
	for _, o := range all {
		switch o := o.(type) {
		case *corev1.Secret:
			named["secret "+o.Name] = true
		case *corev1.ConfigMap:
			named["config "+o.Name] = true
		case *corev1.PersistentVolumeClaim:
			named["claim "+o.Name] = true
		case *corev1.ServiceAccount:
			named["account "+o.Name] = true
		}
	}
	for _, o := range all {
		d, ok := o.(*appsv1.Deployment)
		if !ok {
			continue
		}
		if *d.Spec.Replicas != 1 || d.Spec.Strategy.Type != appsv1.RecreateDeploymentStrategyType {
			t.Errorf("%d replicas, strategy %s; want one at a time", *d.Spec.Replicas, d.Spec.Strategy.Type)
		}
		pod := d.Spec.Template.Spec
		if !named["account "+pod.ServiceAccountName] {
			t.Errorf("no service account %s", pod.ServiceAccountName)
		}
		mounts := pod.Containers[0].VolumeMounts
		for _, v := range pod.Volumes {
			switch {
			case v.Secret != nil && !named["secret "+v.Secret.SecretName],
				v.ConfigMap != nil && !named["config "+v.ConfigMap.Name],
				v.PersistentVolumeClaim != nil && !named["claim "+v.PersistentVolumeClaim.ClaimName]:
				t.Errorf("volume %s is of nothing that is here", v.Name)
			case !slices.ContainsFunc(mounts, func(m corev1.VolumeMount) bool { return m.Name == v.Name }):
				t.Errorf("volume %s is mounted nowhere", v.Name)
			}
		}
	}
}

// The pod passes what the namespace enforces.
func TestPodIsRestricted(t *testing.T) {
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range objects(t) {
		if d, ok := o.(*appsv1.Deployment); ok {
			level := api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}
			for _, r := range evaluator.EvaluatePod(level, &d.Spec.Template.ObjectMeta, &d.Spec.Template.Spec) {
				if !r.Allowed {
					t.Errorf("%s: %s", r.ForbiddenReason, r.ForbiddenDetail)
				}
			}
		}
	}
}
